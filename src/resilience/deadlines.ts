// Not the globals: fake timers replace those and make an immediate take a millisecond.
import { clearImmediate, setImmediate } from 'node:timers';
import { type QueueNode, LinkedQueue } from './linked-queue';

interface Pending {
  /** On the clock of `performance.now()`. */
  readonly at: number;
  readonly onExpired: () => void;
}

/** A started deadline; pass it to {@link Deadlines.end}. */
export type Deadline = QueueNode<Pending>;

/**
 * Deadlines of one length. They expire in the order in which they were started, so that one timer serves all of them.
 *
 * Upstream responses that arrived during a pause of the process (a busy machine, a long garbage collection) are read
 * before deadlines expire. Node runs timers before it reads sockets, so that such a response would count as a time-out.
 */
export class Deadlines {
  private readonly pending = new LinkedQueue<Pending>();
  private timer: NodeJS.Timeout | undefined;
  private immediate: NodeJS.Immediate | undefined;

  constructor(private readonly lengthMs: number) {}

  /** @param passed called once, unless the deadline is ended before */
  start(passed: () => void): Deadline {
    const deadline = this.pending.push({ at: performance.now() + this.lengthMs, onExpired: passed });
    if (this.pending.size === 1) this.arm(this.lengthMs);
    return deadline;
  }

  /** Has no effect on a deadline that has expired or was ended. */
  end(deadline: Deadline): void {
    this.pending.remove(deadline);
    if (this.pending.size === 0) this.disarm();
  }

  private arm(ms: number): void {
    this.timer = setTimeout(() => {
      // Immediates run after sockets were read.
      this.immediate = setImmediate(() => {
        this.expire();
      });
    }, ms);
  }

  private disarm(): void {
    clearTimeout(this.timer);
    clearImmediate(this.immediate);
    this.timer = undefined;
    this.immediate = undefined;
  }

  private expire(): void {
    this.disarm();
    const now = performance.now();
    while ((this.pending.first?.at ?? Infinity) <= now) this.pending.shift()?.onExpired();
    const next = this.pending.first;
    if (next !== undefined && this.timer === undefined) this.arm(next.at - now);
  }
}
