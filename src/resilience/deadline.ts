// Not the globals: fake timers replace those and make an immediate take a millisecond.
import { clearImmediate, setImmediate } from 'node:timers';

/**
 * A time limit. Upstream responses that arrived during a pause of the process (a busy machine, a long garbage collection)
 * are read before it takes effect: Node runs timers before it reads sockets, and immediates after.
 */
export class Deadline {
  private readonly timer: NodeJS.Timeout;
  private immediate: NodeJS.Immediate | undefined;

  /** @param onPassed called once, unless the deadline is ended before */
  constructor(ms: number, onPassed: () => void) {
    this.timer = setTimeout(() => {
      this.immediate = setImmediate(onPassed);
    }, ms);
  }

  /** Has no effect on a deadline that has passed or was ended. */
  end(): void {
    clearTimeout(this.timer);
    clearImmediate(this.immediate);
  }
}
