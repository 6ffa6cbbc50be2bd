import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AbortEmitter } from '../../common/abort-emitter';
import type { Settings } from '../../config/settings';
import { claimHeaders, forwardedHeaders } from './request-headers';
import type { Span } from '@opentelemetry/api';
import type { TraceContext } from '../../observability/tracing/trace-context';
import { ProblemException, type ProblemDefinition } from '../problems/problem';
import { PROBLEMS } from '../problems/problem-definitions';

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
    /** Whether the client prefers `handling=strict`: `addResponseHeaders`. */
    strict: boolean;
    /**
     * Headers and claims of the client that are sent on, read on use; `undefined` where none are configured. It throws
     * 403 where a claim is missing, and 400 for a header that cannot be sent on.
     */
    readonly forwarded: Readonly<Record<string, string>> | undefined;
    /** The authenticated client; `undefined` without authentication: `AuthenticationGuard`. */
    user: Principal | undefined;
    /** The problem of its response, if it is one: `sendProblem`. */
    problem: ProblemDefinition | undefined;
    /** How complete its response is, for logs and metrics; set by the API that responds. */
    completeness: string | undefined;
  }
}

/** Gives every request the fields above. */
export function decorateRequests(
  fastify: FastifyInstance,
  { forwardHeaders, forwardClaims }: Pick<Settings['external'], 'forwardHeaders' | 'forwardClaims'>,
): void {
  const fields = forwardHeaders.map((name) => [name, name.toLowerCase()] as const);
  const forwardsNothing = fields.length === 0 && forwardClaims.length === 0;
  fastify
    .decorateRequest('forwarded', {
      getter() {
        if (forwardsNothing) return undefined;
        const claims = claimHeaders(this.user?.claims, forwardClaims);
        if (claims === undefined) throw new ProblemException(PROBLEMS.missingClaim);
        return { ...forwardedHeaders(this.headers, fields), ...claims };
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

/** Emits `abort` when the client of a request disconnects before the response; always the same one. */
export function disconnectOf(request: FastifyRequest): AbortEmitter {
  return (request.disconnect ??= new AbortEmitter());
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
