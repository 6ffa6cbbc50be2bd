import { context, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings';
import { continueTrace, isTracedByOthers, traceOfSpan, tracing } from '../../observability/tracing/tracing';
import { sendProblem } from '../problems/problem.filter';
import type { ProblemDefinition } from '../problems/problem-definitions';
import { hasBody } from '../server/bounds';
import { prefersStrictHandling } from './request-headers';
import { RequestRecord } from './request-record';

/** `Cache-Control` of all responses but those that clients may store. */
export const NO_STORE = 'no-store';

/** The names are in lower case, as Node lists those of a response. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const POLICY = 'content-security-policy';
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Inline styles are allowed because the page of `@nestjs/swagger` has some. There is no `upgrade-insecure-requests`,
 * because the page has to work without HTTPS, too.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Begins the record of each request, and sets the headers that every response has. Routes, hooks and middleware may
 * overwrite them.
 *
 * Runs each request, except those for probes and metrics, in a span of its own where the tracing of the service is
 * loaded (`node --require …/preload.js`): what later hooks log and call belongs to the trace of the request. Where another
 * OpenTelemetry SDK traces the process instead, the log has the ids of its active span (D79).
 *
 * @returns those headers, and what begins the record of a request that these hooks do not see
 */
export function beginRequests(fastify: FastifyInstance, settings: Settings): Arrival {
  const [apiHeaders, pageHeaders] = ownHeaders(settings);
  const traces = tracing();
  const isTraced = isTracedByOthers();
  const begin = (request: FastifyRequest, reply: FastifyReply): RequestRecord => {
    const { id, headers, routeOptions, is404 } = request;
    const { purpose } = routeOptions.config;
    reply.raw.fastifyReply = reply;
    // One random value makes the id of the request and those of its trace, unless the client has chosen the first.
    const random = headers['x-request-id'] === id ? randomUUID() : id;
    const policy = reply.getHeader(POLICY);
    reply.header('x-request-id', id).headers(purpose === 'docs' ? pageHeaders : apiHeaders);
    if (policy !== undefined) reply.header(POLICY, policy);
    const isOfOperation = purpose === undefined && !is404;
    if (isOfOperation && headers.prefer !== undefined && prefersStrictHandling(String(headers.prefer))) {
      request.strict = true;
      reply.header('Preference-Applied', 'handling=strict');
    }
    const record = new RequestRecord(continueTrace(headers.traceparent, random), routeOptions);
    request.record = record;
    return record;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const record = begin(request, reply);
    const others = isTraced ? trace.getActiveSpan() : undefined;
    if (others !== undefined) record.trace = traceOfSpan(others);
    if (traces === undefined || record.route.config.purpose === 'management') {
      done();
      return;
    }
    const span = traces.startRequest(request.method, record.route.url, record.trace);
    record.span = span;
    record.trace = traceOfSpan(span, record.trace.parentId);
    context.with(trace.setSpan(context.active(), span), done);
  });
  return { begin, ownHeaders: [apiHeaders, pageHeaders] };
}

/** The problem that a request is refused with on its arrival, where it is refused. */
export type Refusal = (request: FastifyRequest, reply: FastifyReply) => ProblemDefinition | undefined;

/** Refuses requests before guards and handlers run. The first refusal decides. */
export function refuseRequests(fastify: FastifyInstance, refusals: readonly Refusal[]): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    for (const refusal of refusals) {
      const problem = refusal(request, reply);
      if (problem !== undefined) {
        sendProblem(reply, problem);
        return;
      }
    }
    done();
  });
}

/**
 * Drops the bodies that no route reads as they arrive (D59): those of GET and HEAD, which Fastify does not parse, and
 * those of requests without a route. Otherwise each would hold up to 64 KiB until its response has left, or 1 MiB where
 * Fastify parsed it for the 404; in chunks of one byte, a few of them would fill the heap.
 */
export function dropUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ is404, method, raw }, _, done) => {
    if (hasBody(raw) && (is404 || method === 'GET' || method === 'HEAD')) {
      raw.resume();
      // Fastify parses the body of each request that has these fields, before it calls the handler.
      const none = { 'content-type': undefined, 'content-length': undefined, 'transfer-encoding': undefined };
      if (is404) Object.assign(raw.headers, none);
    }
    done();
  });
}

type Headers = Readonly<Record<string, string>>;

/** What {@link beginRequests} has for those who complete responses. */
export interface Arrival {
  readonly begin: (request: FastifyRequest, reply: FastifyReply) => RequestRecord;
  /** The headers that it sets. */
  readonly ownHeaders: readonly Headers[];
}

/** The headers of the responses of operations, and those of pages. */
function ownHeaders({ external, access }: Settings): [ofApi: Headers, ofPages: Headers] {
  // Shared caches must not store responses to requests with `Authorization` (RFC 9111). `X-API-Key` is unknown to them:
  // without `Vary`, they could use a stored response to one key for requests with another key, or with none.
  const keyHeader = access.apiKeys.length > 0 ? ['X-API-Key'] : [];
  const common = {
    ...SECURITY_HEADERS,
    vary: ['Prefer, accept-encoding', ...external.forwardHeaders, ...keyHeader].join(', '),
    'cache-control': NO_STORE,
  };
  return [
    { ...common, [POLICY]: API_POLICY },
    { ...common, [POLICY]: PAGE_POLICY },
  ];
}
