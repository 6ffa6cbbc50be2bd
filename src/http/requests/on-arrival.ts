import { context, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings';
import { continueTrace, isTracedByOthers, traceOfSpan, Tracing } from '../../observability/tracing/tracing';
import { NO_STORE, securityHeadersOf, variedBy } from '../default-headers';
import { hasBody } from '../server/bounds';
import { prefersStrictHandling } from './request-headers';
import { RequestRecord } from './request-record';

/** Begins the record of a request, and sets the headers that every response has. */
export type Begin = (request: FastifyRequest, reply: FastifyReply) => RequestRecord;

/**
 * Begins the record of each request, and sets the headers that every response has. Routes, hooks and middleware may
 * overwrite them.
 *
 * Runs each request, except those for probes and metrics, in a span of its own where the tracing of the service is
 * loaded (`node --require …/preload.js`): what later hooks log and call belongs to the trace of the request. Where
 * another OpenTelemetry SDK traces the process instead, the log has the ids of its active span (D79).
 *
 * @returns a function that does the same for a request that was refused before this hook, as by CORS
 */
export function beginRequests(fastify: FastifyInstance, settings: Settings): Begin {
  const common = { vary: variedBy(settings), 'cache-control': NO_STORE };
  const traces = Tracing.installed;
  const isTraced = isTracedByOthers();
  const begin: Begin = (request, reply) => {
    const { id, headers, routeOptions, is404 } = request;
    reply.raw.fastifyReply = reply;
    // One random value makes the id of the request and those of its trace, unless the client has chosen the first.
    const random = headers['x-request-id'] === id ? randomUUID() : id;
    reply.header('x-request-id', id).headers(common);
    for (const [name, value] of securityHeadersOf(routeOptions.config)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
    const isOfOperation = routeOptions.config.purpose === undefined && !is404;
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
  return begin;
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
