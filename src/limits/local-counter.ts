import type { RateLimitSettings } from '../config/settings';
import type { Quota, QuotaCounter } from './quota';

/** Beyond these many callers, those whose windows began first are forgotten. */
const MAX_CALLERS = 50_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts in this process, on a clock that never jumps. */
export class LocalCounter implements QuotaCounter {
  /** In the order in which they end: all windows are equally long. */
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly settings: RateLimitSettings,
    private readonly now: () => number = () => performance.now(),
    private readonly maxCallers = MAX_CALLERS,
  ) {}

  take(caller: string): Quota {
    const now = this.now();
    let window = this.windows.get(caller);
    if (window === undefined || window.endsAt <= now) window = this.open(caller, now);
    const { max } = this.settings;
    const granted = window.count < max;
    if (granted) window.count += 1;
    const { count, endsAt } = window;
    const giveBack = (): void => {
      // One that is over is nobody's any more, so that there is no harm in it.
      if (granted) window.count -= 1;
    };
    return { granted, remaining: max - count, resetMs: endsAt - now, giveBack };
  }

  private open(caller: string, now: number): Window {
    const window = { count: 0, endsAt: now + this.settings.windowMs };
    this.windows.delete(caller);
    for (const [first, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < this.maxCallers) break;
      this.windows.delete(first);
    }
    this.windows.set(caller, window);
    return window;
  }
}
