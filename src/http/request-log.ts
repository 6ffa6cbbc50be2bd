import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { COMPLETENESS_HEADER } from './completeness-header';

/** What is known of an answered request: no parameter, identifier or search term is part of it. */
export interface AnsweredRequest {
  readonly method: string;
  /** Route template, such as `/api/Shipping/GetShippingInfoById/:id`; `unmatched` where no route was found. */
  readonly route: string;
  /** HTTP status; 499 where the client left before the answer. */
  readonly status: number;
  /** 0 for a request that no route could be looked up for. */
  readonly durationMs: number;
  readonly requestId: string;
  /** Completeness of a 200 of the four operations with its reason. */
  readonly completeness: string | undefined;
}

const CLIENT_CLOSED_REQUEST = 499;

/** Tells a listener of every request once it is answered, or its client is gone. */
export function observeRequests(fastify: FastifyInstance, listener: (request: AnsweredRequest) => void): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    listener(describe(request, reply));
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    listener(describeAs(request, CLIENT_CLOSED_REQUEST, undefined));
    done();
  });
}

/** Describes the answer of a request, also of one that no hook sees because no route could be looked up for it. */
export function describe(request: FastifyRequest, reply: FastifyReply): AnsweredRequest {
  return describeAs(request, reply.statusCode, reply.getHeader(COMPLETENESS_HEADER) as string | undefined);
}

function describeAs(request: FastifyRequest, status: number, completeness: string | undefined): AnsweredRequest {
  return {
    method: request.method,
    route: request.routeOptions.url ?? 'unmatched',
    status,
    durationMs: request.arrivedAt === undefined ? 0 : performance.now() - request.arrivedAt,
    requestId: request.id,
    completeness,
  };
}

/** Writes one structured line per request. */
export function logRequest(logger: Logger, request: AnsweredRequest): void {
  const { method, route, status, requestId, completeness } = request;
  const durationMs = Math.round(request.durationMs * 1000) / 1000;
  logger.info({ method, route, status, requestId, completeness, durationMs }, 'request');
}
