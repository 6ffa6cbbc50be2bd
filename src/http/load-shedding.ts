import type { FastifyInstance } from 'fastify';
import { isApiRequest } from './paths';
import { sendProblem } from './problem.filter';
import { PROBLEMS } from './problems';

const TICK_MS = 100;
/** Two ticks in a row with the first lag, or one with the second, mean overload. */
const LAG_MS = 500;
const LONG_LAG_MS = 1000;
const SHEDDING_MS = 1000;

/** Measures the event-loop lag with a regular timer, on the monotonic clock. */
export class EventLoopLag {
  private strikes = 0;
  private overloadedUntil = -Infinity;
  private due = performance.now() + TICK_MS;
  private readonly timer = setInterval(() => {
    this.tick();
  }, TICK_MS).unref();

  get overloaded(): boolean {
    return performance.now() < this.overloadedUntil;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const now = performance.now();
    const lagMs = now - this.due;
    this.due = now + TICK_MS;
    this.strikes = lagMs <= LAG_MS ? 0 : this.strikes + (lagMs > LONG_LAG_MS ? 2 : 1);
    if (this.strikes >= 2) this.overloadedUntil = now + SHEDDING_MS;
  }
}

/**
 * Refuses API requests with 503 while the event loop lags. Probes, metrics and docs are served. High utilisation alone
 * does not trigger load shedding.
 *
 * @param refused is called for each request that is refused
 */
export function shedLoad(
  fastify: FastifyInstance,
  lag: Pick<EventLoopLag, 'overloaded' | 'stop'>,
  refused: () => void,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (lag.overloaded && isApiRequest(request)) {
      refused();
      reply.header('Retry-After', String(SHEDDING_MS / 1000));
      sendProblem(reply, request, PROBLEMS.overloaded);
    } else {
      done();
    }
  });
  fastify.addHook('onClose', (_, done) => {
    lag.stop();
    done();
  });
}
