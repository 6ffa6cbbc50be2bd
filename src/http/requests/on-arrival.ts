import { context, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings';
import { continueTrace, traceOfSpan } from '../../observability/tracing/trace-context';
import { isTracedByOthers, tracing } from '../../observability/tracing/tracing';
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
 * @returns those headers
 */
export function beginRequests(fastify: FastifyInstance, settings: Settings): Headers[] {
  const [apiHeaders, pageHeaders] = ownHeaders(settings);
  const traces = tracing();
  const isTraced = isTracedByOthers();
  const begin = (request: FastifyRequest, reply: FastifyReply): RequestRecord => {
    const { id, headers, routeOptions, strict } = request;
    reply.raw.fastifyReply = reply;
    // One random value makes the id of the request and those of its trace, unless the client has chosen the first.
    const random = headers['x-request-id'] === id ? randomUUID() : id;
    const policy = reply.getHeader(POLICY);
    reply.header('x-request-id', id).headers(routeOptions.config.purpose === 'docs' ? pageHeaders : apiHeaders);
    if (policy !== undefined) reply.header(POLICY, policy);
    if (strict) reply.header('Preference-Applied', 'handling=strict');
    request.record = new RequestRecord(continueTrace(headers.traceparent, random), routeOptions);
    return request.record;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const record = begin(request, reply);
    const { url, config } = record.route;
    const others = isTraced ? trace.getActiveSpan() : undefined;
    if (others !== undefined) record.trace = traceOfSpan(others);
    if (traces === undefined || config.purpose === 'management') {
      done();
      return;
    }
    const span = traces.startRequest(request.method, url, record.trace);
    record.span = span;
    record.trace = traceOfSpan(span, record.trace.parentId);
    context.with(trace.setSpan(context.active(), span), done);
  });
  fastify.addHook('onSend', (request, reply, _, done) => {
    // CORS and other protection of Nest respond in hooks of its adapter, which come before all hooks of the service.
    if ((request.record as RequestRecord | undefined) === undefined) begin(request, reply);
    done();
  });
  return [apiHeaders, pageHeaders];
}

type Headers = Readonly<Record<string, string>>;

/** The headers of the responses of operations, and those of pages. */
function ownHeaders({ corsOrigins, external, access }: Settings): [ofApi: Headers, ofPages: Headers] {
  // Shared caches must not store responses to requests with `Authorization` (RFC 9111). `X-API-Key` is unknown to them:
  // without `Vary`, they could use a stored response to one key for requests with another key, or with none.
  const keyHeader = access.apiKeys.length > 0 ? ['X-API-Key'] : [];
  const common = {
    ...SECURITY_HEADERS,
    vary: ['Prefer, accept-encoding', ...external.forwardHeaders, ...keyHeader].join(', '),
    'cache-control': NO_STORE,
  };
  const cors = corsOrigins.length > 0 && { 'cross-origin-resource-policy': 'cross-origin' };
  return [
    { ...common, ...cors, [POLICY]: API_POLICY },
    { ...common, [POLICY]: PAGE_POLICY },
  ];
}
