import type { Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Cause } from '../../common/errors';
import type { Settings } from '../../config/settings';
import type { TraceContext } from '../../observability/tracing/tracing';
import { PlainSignal } from '../../resilience/deadline';
import type { ProblemDefinition } from '../problems/problem-definitions';
import type { SharedBody } from '../shared-body';
import { forwardedHeaders } from './request-headers';

declare module 'node:http' {
  interface ServerResponse {
    /**
     * The reply of Fastify; set on arrival. Middleware of Nest gets only the response of Node, and `ProblemFilter`
     * needs the reply to respond to an exception of the middleware.
     */
    fastifyReply?: FastifyReply;
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What the route serves: `management` for probes and metrics, whose requests are never shed and not traced, and
     * whose log lines are of `debug`; `docs` for the documentation page and the OpenAPI documents; `undefined` for
     * operations. It is read instead of the path, which an application may change by a prefix (D83).
     */
    readonly purpose?: 'management' | 'docs';
    /** Whether a route of `management` is served on the port of the operations, too, as probes are (D25). */
    readonly onEveryPort?: boolean;
    /**
     * Which 200 of the route say how complete they are: `always`, of an operation of the service (D20), or `by query`,
     * of a handler that may make queries. A 200 of the latter without even a context for a query comes from an
     * interceptor that has not called the handler.
     */
    reportsCompleteness?: 'always' | 'by query';
  }

  interface FastifyRequest {
    /** All that is known of the request; set on arrival. */
    record: RequestRecord;
    /** Whether the client sends `Prefer: handling=strict` to an operation (D21); set on arrival. */
    strict: boolean;
    /**
     * Headers and claims to forward to the external system, if configured. Throws 403 for a missing claim, 400 for a
     * header that cannot be forwarded.
     */
    readonly forwarded: Readonly<Record<string, string>> | undefined;
    /**
     * The prefix of every path in responses, such as in `Link`, `Location` and `type`; a gateway in front removes it
     * from requests (D84).
     */
    readonly publicBasePath: string;
    /** The authenticated client; set by `AuthenticationGuard`, or by a guard of an application. */
    user: Principal | undefined;
  }
}

/** What the queries of a request have found of the data, as far as log, metrics and spans name it. */
export interface ReportedData {
  /** Level and reason of the completeness; `undefined` where no query has reported. */
  readonly label: string | undefined;
  readonly causes: readonly Cause[] | undefined;
}

/** What a client gave of each parameter: a text, or the texts of a list. */
export type ParameterTexts = Readonly<Record<string, string | readonly string[]>>;

/** What is known of a request. It is written where the request passes, and read when its response is sent. */
export class RequestRecord {
  readonly arrivedAt = performance.now();
  /** Is aborted when the client disconnects before the response. */
  readonly client = new PlainSignal();
  /** The span of the request, where the tracing of the service is loaded. */
  span: Span | undefined;
  /** What the queries have found; `undefined` until a handler has a context for them. */
  data: ReportedData | undefined;
  /** The texts of the known parameters that the client gave, by their names; set by `ParametersPipe`. */
  parameters: ParameterTexts = NO_PARAMETERS;
  /**
   * The name of the client in the log line (D77), after its credential was verified; set by `AuthenticationGuard`. It
   * is not read from `user`, because a guard of an application that extends the service may put data there that must
   * not be logged (D39).
   */
  clientName: string | undefined;
  /** The problem that was sent; set by `sendProblem`. */
  problem: ProblemDefinition | undefined;
  /** Why the external system or the service failed: set by `ProblemFilter`, or where the body breaks off. */
  causes: readonly Cause[] | undefined;
  /** Whether the response broke off behind its first bytes, by an error of what makes its body. */
  isBroken = false;
  /** The body of the response, where its bytes are ready. A hook may send another one instead. */
  ready: SharedBody | undefined;
  /** Whether a response was made ready to be sent: another one takes its place. */
  isPrepared = false;

  /**
   * @param trace the ids of its trace and span, for the log and for `traceparent` of upstream requests
   * @param route what Fastify makes anew at each access of `routeOptions`
   */
  constructor(
    public trace: TraceContext,
    readonly route: FastifyRequest['routeOptions'],
  ) {}
}

const NO_PARAMETERS = {};

/** Declares the fields that the service adds to requests of Fastify. */
export function decorateRequests(fastify: FastifyInstance, { publicBasePath, external }: Settings): void {
  const forwardsNothing = external.forwardHeaders.length === 0 && external.forwardClaims.length === 0;
  function forwardedOf(this: FastifyRequest): Readonly<Record<string, string>> {
    return forwardedHeaders(this, external);
  }
  fastify.decorateRequest('record').decorateRequest('user').decorateRequest('strict', false);
  fastify.decorateRequest('publicBasePath', publicBasePath);
  fastify.decorateRequest('forwarded', forwardsNothing ? undefined : { getter: forwardedOf });
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
