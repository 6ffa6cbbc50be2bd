// Under the fake timers of tests, a global immediate waits for a millisecond of fake time; an imported one does not.
import { clearImmediate, setImmediate } from 'node:timers';
import { CLIENT_DISCONNECTED, type ClientDisconnectedError } from './upstream-failure';

/** What a new connection waits for, in words for the message of a time-out (D81). */
export interface Connecting {
  phase: 'address of the host name' | 'connection' | 'TLS handshake';
}

/** The signal of one attempt, which ends it, and by which the attempt shows how far it is. */
export interface AttemptSignal extends AbortSignal {
  /**
   * What the attempt waits for: its access token, a connection that is being opened, the response to its newest request,
   * the rest of that response, the pause that a list needs before its next request, or for this process to read a
   * response that has begun (`reading`) or to process one that has arrived whole (`processing`). When the deadline
   * passes, it decides the message of the time-out, and whether the time-out counts against the upstream.
   */
  waitsFor: 'access token' | Readonly<Connecting> | 'response' | 'rest' | 'pause' | 'reading' | 'processing';
  /**
   * An attempt calls it before each of its requests, and sends none where it throws: the upstream has meanwhile asked for
   * a pause (D21).
   */
  readonly throwIfPaused: () => void;
  /**
   * An attempt that reads a list in parts calls it before each further part: each part has the time of an attempt behind
   * the pause that the list needs before it, and all together have that of the call.
   */
  readonly restartDeadline: (pauseMs: number) => void;
}

/** Gets the error of a client that has disconnected, and none when the time has passed. */
type OnEnd = (error?: ClientDisconnectedError) => void;

/**
 * Calls back once, when the time has passed or the client disconnects; returns a function that ends both waits. The
 * deadline passes in an immediate, because Node runs timers first, then reads sockets, then runs immediates: a response
 * that arrived while the process paused is read before its deadline passes.
 */
export function startDeadline(ms: number, client: AbortSignal | undefined, onEnd: OnEnd): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const end = (): void => {
    clearTimeout(timer);
    clearImmediate(immediate);
    client?.removeEventListener('abort', disconnected);
  };
  const disconnected = (): void => {
    end();
    onEnd(CLIENT_DISCONNECTED);
  };
  const pass = (): void => {
    immediate = setImmediate(() => {
      end();
      onEnd();
    });
  };
  // A deadline may have passed while the attempt began, and Node warns of a timer with a negative time.
  const timer = setTimeout(pass, Math.max(0, ms));
  client?.addEventListener('abort', disconnected);
  return end;
}
