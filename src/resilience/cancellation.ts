/**
 * Cancels the current step of a call (queueing, an attempt, a pause). It has one listener at a time, so that its cost
 * cannot be measured; an `AbortSignal` costs 4 µs a call.
 */
export class Cancellation {
  private cause: Error | undefined;
  private listener: ((cause: Error) => void) | undefined;

  /** Why the call was cancelled; `undefined` while it was not. */
  get reason(): Error | undefined {
    return this.cause;
  }

  cancel(reason: Error): void {
    const listener = this.listener;
    this.cause = reason;
    this.listener = undefined;
    listener?.(reason);
  }

  /** Replaces the listener; `undefined` removes it. */
  listen(listener: ((reason: Error) => void) | undefined): void {
    this.listener = listener;
  }

  /** @throws the reason, once cancelled. */
  throwIfCancelled(): void {
    if (this.cause !== undefined) throw this.cause;
  }

  /** Waits `ms` milliseconds; rejects with the reason as soon as the call is cancelled. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.listen(undefined);
        resolve();
      }, ms);
      this.listen((reason) => {
        clearTimeout(timer);
        reject(reason);
      });
    });
  }
}
