import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { COMPLETENESS_HEADER } from './completeness-header';
import type { ProblemKind } from './problem';
import { traceOf } from './trace-context';

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
  readonly traceId: string;
  readonly spanId: string;
  /** Completeness of a 200 of the four operations with its reason. */
  readonly completeness: string | undefined;
  /** What the answer says is wrong; absent for answers that are no problem. */
  readonly problem: Pick<ProblemKind, 'code' | 'reason'> | undefined;
}

const CLIENT_CLOSED_REQUEST = 499;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it counts as being answered; what an earlier hook refused never did. */
    active: boolean;
    /** What it was answered with, where that was a problem. */
    problem: ProblemKind | undefined;
  }
}

/**
 * Tells a listener of every request once it is answered, or its client is gone.
 *
 * @returns how many are being answered now
 */
export function observeRequests(fastify: FastifyInstance, listener: (request: AnsweredRequest) => void): () => number {
  let active = 0;
  const end = (request: FastifyRequest, answered: AnsweredRequest): void => {
    if (request.active) active -= 1;
    request.active = false;
    listener(answered);
  };
  fastify.decorateRequest('active', false);
  fastify.decorateRequest('problem', undefined);
  fastify.addHook('onRequest', (request, _, done) => {
    request.active = true;
    active += 1;
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    end(request, describe(request, reply));
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    end(request, describeDeparture(request));
    done();
  });
  return () => active;
}

/** Describes the answer of a request, also of one that no hook sees because no route could be looked up for it. */
export function describe(request: FastifyRequest, reply: FastifyReply): AnsweredRequest {
  return describeAs(request, reply.statusCode, reply.getHeader(COMPLETENESS_HEADER) as string | undefined);
}

/** Describes a request whose client left before the answer. */
export function describeDeparture(request: FastifyRequest): AnsweredRequest {
  return describeAs(request, CLIENT_CLOSED_REQUEST, undefined);
}

function describeAs(request: FastifyRequest, status: number, completeness: string | undefined): AnsweredRequest {
  const { traceId, spanId } = traceOf(request);
  return {
    method: request.method,
    route: request.routeOptions.url ?? 'unmatched',
    status,
    durationMs: request.arrivedAt === undefined ? 0 : performance.now() - request.arrivedAt,
    requestId: request.id,
    traceId,
    spanId,
    completeness,
    problem: request.problem,
  };
}

/**
 * Writes one structured line per request.
 *
 * @param share of the lines of complete successes that are written, from 0 to 1. Which ones is decided by their trace,
 *   so that services of the same share keep the same ones. All others are always written, as warnings where the answer
 *   is an error of the server or not complete.
 */
export function logRequest(logger: Logger, request: AnsweredRequest, share: number): void {
  const { method, route, status, requestId, traceId, spanId, completeness, problem } = request;
  const degraded = completeness !== undefined && completeness !== 'complete';
  if (share < 1 && status < 400 && !degraded && drawn(traceId) >= share) return;
  const durationMs = Math.round(request.durationMs * 1000) / 1000;
  const line = {
    method,
    route,
    status,
    requestId,
    trace_id: traceId,
    span_id: spanId,
    completeness,
    problem: problem?.code,
    reason: problem?.reason,
    durationMs,
  };
  if (status >= 500 || degraded) logger.warn(line, 'request');
  else logger.info(line, 'request');
}

/** A number from 0 up to, not including, 1: of the last digits of a trace id, which are its most random. */
function drawn(traceId: string): number {
  return parseInt(traceId.slice(-8), 16) / 2 ** 32;
}
