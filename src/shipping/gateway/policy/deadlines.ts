// Not the globals: virtual clocks replace those, and have an immediate take a millisecond.
import { clearImmediate, setImmediate } from 'node:timers';
import { type Standing, WaitingList } from './waiting-list';

interface Pending {
  /** On the clock of `performance.now()`. */
  readonly at: number;
  readonly passed: () => void;
}

/** A deadline that was started, to end it by. */
export type Deadline = Standing<Pending>;

/**
 * Deadlines of one length, which therefore pass in the order in which they were started: one timer serves them all.
 *
 * What has arrived is read before a deadline counts as passed. After a pause of this process (its machine was busy with
 * others, a long collection) timers run before sockets are read, and a reply that has long been there would count as
 * late, against the external system.
 */
export class Deadlines {
  private readonly pending = new WaitingList<Pending>();
  private timer: NodeJS.Timeout | undefined;
  private turn: NodeJS.Immediate | undefined;

  constructor(private readonly lengthMs: number) {}

  /** @param passed called once, unless the deadline is {@link end}ed before */
  start(passed: () => void): Deadline {
    const deadline = this.pending.push({ at: performance.now() + this.lengthMs, passed });
    if (this.pending.size === 1) this.arm(this.lengthMs);
    return deadline;
  }

  /** Does nothing to one that has passed or was ended. */
  end(deadline: Deadline): void {
    this.pending.remove(deadline);
    if (this.pending.size === 0) this.disarm();
  }

  private arm(ms: number): void {
    this.timer = setTimeout(() => {
      // Immediates run after what has arrived was read.
      this.turn = setImmediate(() => {
        this.tell();
      });
    }, ms);
  }

  private disarm(): void {
    clearTimeout(this.timer);
    clearImmediate(this.turn);
    this.timer = undefined;
    this.turn = undefined;
  }

  private tell(): void {
    this.disarm();
    const now = performance.now();
    while ((this.pending.first?.at ?? Infinity) <= now) this.pending.shift()?.passed();
    const next = this.pending.first;
    if (next !== undefined && this.timer === undefined) this.arm(next.at - now);
  }
}
