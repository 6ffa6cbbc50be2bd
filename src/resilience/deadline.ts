import { EventEmitter } from 'node:events';
// The global functions take a millisecond under the fake timers of tests; these do not.
import { clearImmediate, setImmediate } from 'node:timers';
import { CLIENT_DISCONNECTED, type ClientDisconnectedError } from './upstream-failure';

/** What the service needs of a signal that ends a call. Every `AbortSignal` is one. */
export interface Disconnect {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Takes the place of an `AbortController` and its signal until Node 20 is dropped, where one costs 28 µs a call; undici
 * accepts an emitter as well.
 */
export class AbortEmitter extends EventEmitter implements Disconnect {
  aborted = false;
  reason: unknown;

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.emit('abort');
  }

  addEventListener(type: 'abort', listener: () => void): void {
    this.on(type, listener);
  }

  removeEventListener(type: 'abort', listener: () => void): void {
    this.off(type, listener);
  }
}

/** The signal of one attempt, on which its transport notes how much of the newest response, or no credential, has arrived. */
export class AttemptSignal extends AbortEmitter {
  arrival: 'no credential' | 'none' | 'part' | 'whole' = 'none';
}

/** Gets the error of a client that has disconnected, and none when the time has passed. */
type OnEnd = (error?: ClientDisconnectedError) => void;

/**
 * Calls back once: when the time has passed, or when the client disconnects. Returns what ends both. After a pause of the
 * process, upstream responses are read before the time has passed: Node reads sockets after timers, and before immediates.
 */
export function startDeadline(ms: number, disconnect: Disconnect | undefined, onEnd: OnEnd): () => void {
  const end = (): void => {
    clearTimeout(timer);
    clearImmediate(immediate);
    disconnect?.removeEventListener('abort', disconnected);
  };
  const disconnected = (): void => {
    end();
    onEnd(CLIENT_DISCONNECTED);
  };
  let immediate: NodeJS.Immediate | undefined;
  const pass = (): void => {
    immediate = setImmediate(() => {
      end();
      onEnd();
    });
  };
  // A deadline may have passed while the attempt began, and Node warns of a timer with a negative time.
  const timer = setTimeout(pass, Math.max(0, ms));
  disconnect?.addEventListener('abort', disconnected);
  return end;
}
