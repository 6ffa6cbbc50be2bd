// Under the fake timers of tests, a global immediate waits for a millisecond of fake time; an imported one does not.
import { clearImmediate, setImmediate } from 'node:timers';

/** Lists instead of sets: a signal has two listeners at most, and an empty set takes 200 bytes. */
const NONE: readonly (() => void)[] = [];

/**
 * An `AbortController` and its signal as a plain object: the two that a request would need take 8 µs of 220 on Node 26.
 * A real `AbortSignal` is made where somebody reads it.
 */
export class PlainSignal {
  aborted = false;
  /** The error that has aborted the signal; `undefined` before. */
  reason: Error;
  private listeners: readonly (() => void)[] = NONE;
  private controller: AbortController | undefined;

  /** Does the same as an `AbortSignal`, for code that takes no other. */
  get signal(): AbortSignal {
    const controller = (this.controller ??= new AbortController());
    if (this.aborted) controller.abort(this.reason);
    return controller.signal;
  }

  addEventListener(_: 'abort', listener: () => void): void {
    if (!this.listeners.includes(listener)) this.listeners = [...this.listeners, listener];
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.listeners = this.listeners.filter((each) => each !== listener);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason as Error;
    for (const listener of this.listeners) {
      // One of the others may have removed it meanwhile. The adapter of axios for `fetch` reads `this.reason`.
      if (this.listeners.includes(listener)) listener.call(this);
    }
    this.controller?.abort(reason);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

/** What `PlainSignal` and `AbortSignal` have in common. */
export type Signal = Readonly<Pick<PlainSignal, 'aborted' | 'reason' | 'addEventListener' | 'removeEventListener'>>;

/**
 * Calls back once, when the time has passed (`true`) or the signal is aborted (`false`); returns a function that ends
 * both waits. The deadline passes in an immediate, because Node runs timers first, then reads sockets, then runs
 * immediates: a response that arrived while the process paused is read before its deadline passes.
 */
export function startDeadline(ms: number, signal: Signal | undefined, onEnd: (passed: boolean) => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const end = (): void => {
    clearTimeout(timer);
    clearImmediate(immediate);
    signal?.removeEventListener('abort', aborted);
  };
  const aborted = (): void => {
    end();
    onEnd(false);
  };
  const pass = (): void => {
    immediate = setImmediate(() => {
      end();
      onEnd(true);
    });
  };
  // A deadline may have passed while the request began, and Node warns of a timer with a negative time.
  const timer = setTimeout(pass, Math.max(0, ms));
  signal?.addEventListener('abort', aborted);
  return end;
}
