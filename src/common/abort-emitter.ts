import { EventEmitter } from 'node:events';

/** An `AbortSignal` for undici; an `AbortController` costs 28 µs a call on Node 20. */
export class AbortEmitter extends EventEmitter {
  aborted = false;
  reason: unknown;

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.emit('abort');
  }
}
