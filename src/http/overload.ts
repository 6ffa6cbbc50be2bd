import type { FastifyInstance } from 'fastify';
import { isOperation } from './paths';
import { frameworkKind, sendProblem } from './problem.filter';

const TICK_MS = 100;
/** Two ticks in a row as late as this, or one as late as the other, mean that answers come too late. */
const LATE_MS = 500;
const VERY_LATE_MS = 1000;
const REFUSING_MS = 1000;

/** Tells by a regular tick whether the event loop is too late to answer in time. Works on the monotonic clock. */
export class Lateness {
  private strikes = 0;
  private refusesUntil = -Infinity;
  private due = performance.now() + TICK_MS;
  private readonly timer = setInterval(() => {
    this.tick();
  }, TICK_MS).unref();

  get overloaded(): boolean {
    return performance.now() < this.refusesUntil;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const now = performance.now();
    const lateMs = now - this.due;
    this.due = now + TICK_MS;
    this.strikes = lateMs <= LATE_MS ? 0 : this.strikes + (lateMs > VERY_LATE_MS ? 2 : 1);
    if (this.strikes >= 2) this.refusesUntil = now + REFUSING_MS;
  }
}

/**
 * Refuses operations with 503 while the event loop lags too far behind to answer in time. Probes, metrics and docs keep
 * answering. Utilisation is no reason: a busy process that is on time is one used well.
 */
export function shedLoad(fastify: FastifyInstance, lateness = new Lateness()): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isOperation(request) && lateness.overloaded) {
      reply.header('Retry-After', String(REFUSING_MS / 1000));
      sendProblem(reply, request, frameworkKind(503));
    } else {
      done();
    }
  });
  fastify.addHook('onClose', (_, done) => {
    lateness.stop();
    done();
  });
}
