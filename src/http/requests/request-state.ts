import type { FastifyInstance } from 'fastify';
import type { AbortEmitter } from '../../common/abort-emitter';
import { forwardedHeaders } from './request-headers';
import type { Span } from '@opentelemetry/api';
import type { TraceContext } from '../../observability/tracing/trace-context';
import type { ProblemDefinition } from '../problems/problem';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route sends one `Buffer` for all requests: unread ones hold no memory of their own. */
    readonly heldOnce?: boolean;
  }

  /** Everything that the service adds to a request, with the place that writes it. */
  interface FastifyRequest {
    /** When it arrived, on the clock of `performance.now()`: `observeRequests`. */
    arrivedAt: number;
    /** Made on first use: `disconnectOf`. */
    disconnect: AbortEmitter | null;
    /** Whether it is counted as active: `observeRequests`. */
    active: boolean;
    /** Made on first use: `traceOf`; replaced where tracing is preloaded: `traceRequests`. */
    trace: TraceContext | null;
    /** `undefined` unless tracing is preloaded: `traceRequests`. */
    span: Span | undefined;
    /** Whether the client prefers `handling=strict`: `addHooks`. */
    strict: boolean;
    /** Headers of the client that are sent on, read on use; `undefined` where none are configured. */
    readonly forwarded: Readonly<Record<string, string>> | undefined;
    /** The authenticated client; `undefined` without authentication: `AuthenticationGuard`. */
    user: Principal | undefined;
    /** The problem of its response, if it is one: `sendProblem`. */
    problem: ProblemDefinition | undefined;
    /** How complete its response is, for logs and metrics; set by the API that responds. */
    completeness: string | undefined;
  }
}

/** Gives every request the fields above. @param forwarded names of headers that are sent on */
export function decorateRequests(fastify: FastifyInstance, forwarded: readonly string[] = []): void {
  const fields = forwarded.map((name) => [name, name.toLowerCase()] as const);
  fastify
    .decorateRequest('forwarded', {
      getter() {
        return fields.length === 0 ? undefined : forwardedHeaders(this.headers, fields);
      },
    })
    .decorateRequest('arrivedAt', 0)
    .decorateRequest('disconnect', null)
    .decorateRequest('active', false)
    .decorateRequest('trace', null)
    .decorateRequest('span', undefined)
    .decorateRequest('strict', false)
    .decorateRequest('user', undefined)
    .decorateRequest('problem', undefined)
    .decorateRequest('completeness', undefined);
}

/** The authenticated client of a request. */
export interface Principal {
  /** Identifies the client: the digest of its API key, or issuer and subject; `undefined` for a token without subject. */
  readonly id: string | undefined;
  /** Its name in the request log: the subject, or the first eight hex digits of the digest of the API key. */
  readonly name: string | undefined;
  /** `sub` of the token, or the id of a client that acts for itself; `undefined` for API keys. */
  readonly subject: string | undefined;
  /** Scopes of the token; none for API keys. */
  readonly scopes: readonly string[];
  /** Verified claims of the token; none for API keys. */
  readonly claims: Readonly<Record<string, unknown>>;
}
