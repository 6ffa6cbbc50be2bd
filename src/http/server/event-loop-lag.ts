import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

const TICK_MS = 100;
/** Two ticks in a row with the first lag, or one with the second, mean overload. */
const LAG_MS = 500;
const LONG_LAG_MS = 1000;
const SHEDDING_MS = 1000;

/**
 * Measures the event-loop lag with a regular timer, on the monotonic clock, from the end of the start on. High utilisation
 * alone does not count as overload.
 */
@Injectable()
export class EventLoopLag implements OnApplicationBootstrap, OnApplicationShutdown {
  private strikes = 0;
  private overloadedUntil = -Infinity;
  private due = 0;
  private timer: NodeJS.Timeout | undefined;

  get overloaded(): boolean {
    return performance.now() < this.overloadedUntil;
  }

  onApplicationBootstrap(): void {
    this.due = performance.now() + TICK_MS;
    this.timer = setInterval(() => {
      this.tick();
    }, TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  onApplicationShutdown(): void {
    this.stop();
  }

  private tick(): void {
    const now = performance.now();
    const lagMs = now - this.due;
    this.due = now + TICK_MS;
    this.strikes = lagMs <= LAG_MS ? 0 : this.strikes + (lagMs > LONG_LAG_MS ? 2 : 1);
    if (this.strikes >= 2) this.overloadedUntil = now + SHEDDING_MS;
  }
}
