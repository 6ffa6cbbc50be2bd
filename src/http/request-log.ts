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
  readonly durationMs: number;
  readonly requestId: string;
  /** Completeness of a 200 of the four operations with its reason. */
  readonly completeness: string | undefined;
}

const CLIENT_CLOSED_REQUEST = 499;

/** Tells a listener of every request once it is answered, or its client is gone. */
export function observeRequests(fastify: FastifyInstance, listener: (request: AnsweredRequest) => void): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    listener(describe(request, reply, reply.statusCode));
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    listener({ ...describeRequest(request), status: CLIENT_CLOSED_REQUEST, durationMs: 0, completeness: undefined });
    done();
  });
}

/** Describes the answer of a request that no hook sees, because no route could be looked up for it. */
export function describe(request: FastifyRequest, reply: FastifyReply, status: number): AnsweredRequest {
  return {
    ...describeRequest(request),
    status,
    durationMs: reply.elapsedTime,
    completeness: reply.getHeader(COMPLETENESS_HEADER) as string | undefined,
  };
}

function describeRequest(request: FastifyRequest): Pick<AnsweredRequest, 'method' | 'route' | 'requestId'> {
  return { method: request.method, route: request.routeOptions.url ?? 'unmatched', requestId: request.id };
}

/** Writes one structured line per request. */
export function logRequest(logger: Logger, { durationMs, ...request }: AnsweredRequest): void {
  logger.info({ ...request, durationMs: Math.round(durationMs * 1000) / 1000 }, 'request');
}
