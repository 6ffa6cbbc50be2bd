import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { traceOf } from '../../observability/tracing/trace-context';
import { UNDECODABLE_TARGET } from '../paths';
import { disconnectOf } from './request-state';

/**
 * What is recorded of a completed request, with the names of the log. No parameter, identifier or search term is part of it.
 */
export interface CompletedRequest {
  readonly method: string;
  /** Route template, such as `/api/Shipping/GetShippingInfoById/:id`; `unmatched` without a route. */
  readonly route: string;
  /** HTTP status; 499 where the client disconnected before the response. */
  readonly status: number;
  readonly requestId: string;
  readonly trace_id: string;
  readonly span_id: string;
  /** The name of the authenticated client. */
  readonly client: string | undefined;
  /** How complete a 200 of an API is, with the reason; `undefined` for other responses. */
  readonly completeness: string | undefined;
  /** The code of a problem, and the reason for which the external system failed. */
  readonly problem: string | undefined;
  readonly reason: string | undefined;
  readonly durationMs: number;
}

const CLIENT_CLOSED_REQUEST = 499;

/**
 * Sets when requests arrive, and calls a listener for every completed request and every client that disconnected.
 *
 * @returns the number of active requests
 */
export function observeRequests(fastify: FastifyInstance, listener: (request: CompletedRequest) => void): () => number {
  let active = 0;
  const end = (request: FastifyRequest, completed: CompletedRequest): void => {
    if (request.active) active -= 1;
    request.active = false;
    listener(completed);
  };
  fastify.addHook('onRequest', (request, _, done) => {
    request.arrivedAt = performance.now();
    request.active = true;
    active += 1;
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    // Node 20 reports responses that were cut off like those that were sent.
    end(request, request.raw.socket.destroyed ? describeDisconnect(request) : describeRequest(request, reply));
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    disconnectOf(request).abort();
    end(request, describeDisconnect(request));
    done();
  });
  return () => active;
}

/** Describes a request by its response. */
export function describeRequest(request: FastifyRequest, reply: FastifyReply): CompletedRequest {
  return describeAs(request, reply.statusCode, request.completeness);
}

/** Describes a request whose client disconnected before the response. */
export function describeDisconnect(request: FastifyRequest): CompletedRequest {
  return describeAs(request, CLIENT_CLOSED_REQUEST, undefined);
}

function describeAs(request: FastifyRequest, status: number, completeness: string | undefined): CompletedRequest {
  const { traceId, spanId } = traceOf(request);
  const { method, url, routeOptions, id, user, problem, arrivedAt } = request;
  return {
    method,
    route: url === UNDECODABLE_TARGET ? 'unmatched' : (routeOptions.url ?? 'unmatched'),
    status,
    requestId: id,
    trace_id: traceId,
    span_id: spanId,
    client: user?.name,
    completeness,
    problem: problem?.code,
    reason: problem?.reason,
    durationMs: Math.round((performance.now() - arrivedAt) * 1000) / 1000,
  };
}
