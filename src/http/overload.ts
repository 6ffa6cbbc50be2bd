import underPressure from '@fastify/under-pressure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOperation } from './paths';
import { PROBLEM_CONTENT_TYPE, problemOf } from './problem';
import { frameworkKind } from './problem.filter';

const MAX_EVENT_LOOP_DELAY_MS = 500;
// Long enough that one short stall is averaged away by the punctual ticks around it.
const SAMPLE_INTERVAL_MS = 1000;
const RETRY_AFTER_SECONDS = 1;

/**
 * Refuses operations with 503 while the event loop lags too far behind to answer in time. Probes, metrics and docs keep
 * answering. Utilisation is no reason: a busy process that is on time is one used well.
 */
export async function shedLoad(app: NestFastifyApplication): Promise<void> {
  await app.register(underPressure as never, {
    maxEventLoopDelay: MAX_EVENT_LOOP_DELAY_MS,
    sampleInterval: SAMPLE_INTERVAL_MS,
    pressureHandler: refuseOperation,
  });
}

/** @returns the body to answer with; `undefined` to let the request pass */
function refuseOperation(request: FastifyRequest, reply: FastifyReply): unknown {
  if (!isOperation(request)) return undefined;
  const kind = frameworkKind(503);
  reply.status(kind.status).type(PROBLEM_CONTENT_TYPE).header('Retry-After', String(RETRY_AFTER_SECONDS));
  return problemOf(kind, request);
}
