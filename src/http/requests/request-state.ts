import type { ApplicationConfig } from '@nestjs/core';
import type { Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Cause } from '../../common/cause';
import type { Settings } from '../../config/settings';
import type { TraceContext } from '../../observability/tracing/trace-context';
import type { SharedBody } from '../bodies/shared-body';
import { purposeOf } from '../paths';
import type { ProblemDefinition } from '../problems/problem-definitions';
import { forwardedHeaders, prefersStrictHandling } from './request-headers';

declare module 'node:http' {
  interface ServerResponse {
    /**
     * The reply of Fastify; set by `observeRequests`. Middleware of Nest gets only the response of Node, and
     * `ProblemFilter` needs the reply to respond to an exception of the middleware.
     */
    fastifyReply?: FastifyReply;
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route sends the same `Buffer` to all requests, so that its bytes do not count as memory of a response (D59).
     */
    readonly isSharedBody?: boolean;
    /**
     * What the route serves: `management` for probes and metrics, `docs` for the documentation page and the OpenAPI
     * documents, `undefined` for operations. Load shedding, the port, `Content-Security-Policy` and the effect of
     * `Prefer` depend on this and not on the path, because an application may change paths by a prefix (D83).
     */
    readonly purpose?: 'management' | 'docs';
    /** Whether a route of `management` is served on the port of the operations, too, as probes are (D25). */
    readonly onEveryPort?: boolean;
    /**
     * Whether each 200 of the route needs `Shipping-Completeness`; without the header, `checkResults` makes it a 500. The
     * operations have it from the start. A route that an application adds gets it when its handler calls `respond` for
     * the first time: a later 200 without the header then comes from an interceptor that has not called the handler.
     */
    reportsCompleteness?: boolean;
    /** Whether the controller of the route may return the JSON text of a body, see `respond`. */
    readonly sendsText?: boolean;
  }

  interface FastifyRequest extends RequestState {
    /**
     * Whether details of the process may be sent: not on the port of the operations where there is a management port;
     * set by `separateManagement`.
     */
    readonly seesDetails: boolean;
  }
}

/** What the service adds to a request, and where it is set. */
export interface RequestState {
  /** `performance.now()` on arrival; set by `observeRequests`. */
  arrivedAt: number | undefined;
  /** Is aborted when the client disconnects before the response; set by `observeRequests`. */
  disconnect: AbortController | undefined;
  /**
   * The ids of its trace and span, for the log and for `traceparent` of upstream requests; set by `traceOf`, or by
   * `traceRequests`.
   */
  trace: TraceContext | undefined;
  /** The span of the request, where the tracing of the service is loaded; set by `traceRequests`. */
  span: Span | undefined;
  /** Whether the client sends `Prefer: handling=strict` to an operation (D21). */
  readonly strict: boolean;
  /** Whether clients may store the response and ask whether it has changed; set by `allowRevalidation`. */
  isRevalidated: boolean;
  /**
   * The body of the response, where many responses send it; set by `respond`. A hook may replace what is sent, so
   * that code which uses it compares it with what it is about to send.
   */
  sharedBody: SharedBody | undefined;
  /**
   * Memory of the objects that a handler returned and Nest keeps until the response is sent, in bytes; set by
   * `addCompression`, 0 for small ones.
   */
  objectBytes: number;
  /** Whether a response was made ready to be sent: another one takes its place. Set by `addResponseHeaders`. */
  isPrepared: boolean;
  /** Whether the application has interceptors for all routes, which see the body of each response. */
  readonly hasInterceptors: boolean;
  /**
   * Headers and claims to forward to the external system, if configured. Throws 403 for a missing claim, 400 for a
   * header that cannot be forwarded.
   */
  readonly forwarded: Readonly<Record<string, string>> | undefined;
  /**
   * The prefix of every path in responses, such as in `Link`, `Location` and `type`; a gateway in front removes it
   * from requests (D84). Set by `decorateRequests`.
   */
  readonly publicBasePath: string;
  /** The authenticated client; set by `AuthenticationGuard`. */
  user: Principal | undefined;
  /**
   * The name of the client in the log line (D77), after its credential was verified; set by `AuthenticationGuard`. It
   * is not read from `user`, because a guard of an application that extends the service may put data there that must
   * not be logged (D39).
   */
  clientName: string | undefined;
  /** The address that rate limits count the request for, where it has no credential; set by `addressOf`. */
  countedAddress: string | undefined;
  /** The problem that was sent; set by `sendProblem`. */
  problem: ProblemDefinition | undefined;
  /**
   * Level and reason in the response header `Shipping-Completeness`, for logs and metrics; set by the code that sends
   * the result of a query.
   */
  completeness: string | undefined;
  /**
   * Why the result of the external system is missing or incomplete, for logs and spans; set by the code that sends
   * the result of a query, and by `ProblemFilter`.
   */
  causes: readonly Cause[] | undefined;
}

/** Declares the fields above on every request. */
export function decorateRequests(
  fastify: FastifyInstance,
  { publicBasePath, external }: Settings,
  application: ApplicationConfig,
): void {
  const forwardsNothing = external.forwardHeaders.length === 0 && external.forwardClaims.length === 0;
  function forwardedOf(this: FastifyRequest): Readonly<Record<string, string>> {
    return forwardedHeaders(this, external);
  }
  function strictOf(this: FastifyRequest): boolean {
    const { prefer } = this.headers;
    // The header comes first: few requests have it, and Fastify makes the options of a route anew at each access.
    if (prefer === undefined || this.is404 || purposeOf(this) !== undefined) return false;
    return prefersStrictHandling(String(prefer));
  }
  // The compiler finds a field that is missing here.
  const initial: Record<keyof RequestState, unknown> = {
    arrivedAt: undefined,
    disconnect: undefined,
    trace: undefined,
    span: undefined,
    strict: { getter: strictOf },
    isRevalidated: false,
    sharedBody: undefined,
    objectBytes: 0,
    isPrepared: false,
    hasInterceptors: { getter: () => hasInterceptors(application) },
    forwarded: forwardsNothing ? undefined : { getter: forwardedOf },
    publicBasePath,
    user: undefined,
    clientName: undefined,
    countedAddress: undefined,
    problem: undefined,
    completeness: undefined,
    causes: undefined,
  };
  for (const [name, value] of Object.entries(initial)) fastify.decorateRequest(name, value);
}

function hasInterceptors(application: ApplicationConfig): boolean {
  return application.getGlobalInterceptors().length > 0 || application.getGlobalRequestInterceptors().length > 0;
}

/** The authenticated client of a request. */
export interface Principal {
  /**
   * Identifies the client for rate limits: digest of its API key, or issuer and subject of its token, if it has one.
   */
  readonly id: string | undefined;
  /** Name in the log (D77): the subject, or the first eight hex digits of the digest. */
  readonly name: string | undefined;
  /** The subject of a token; `undefined` for API keys. */
  readonly subject: string | undefined;
  readonly scopes: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
}
