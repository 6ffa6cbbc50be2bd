// The globals take a millisecond under fake timers.
import { clearImmediate, setImmediate } from 'node:timers';
import type { AbortEmitter } from '../common/abort-emitter';
import { ClientDisconnectedError } from './upstream-failure';

/**
 * Starts a time limit, and returns what ends it. After a pause of the process, upstream responses are read before it takes
 * effect: Node reads sockets after timers, and before immediates.
 */
export function startDeadline(ms: number, onPassed: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(onPassed);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** Fails once: when the client disconnects, or with `expired` at a time limit. Returns what ends both. */
export function failAfter(
  ms: number,
  client: AbortEmitter | undefined,
  expired: () => Error,
  fail: (error: Error) => void,
): () => void {
  const end = (): void => {
    endDeadline();
    client?.off('abort', onDisconnect);
  };
  const onDisconnect = (): void => {
    end();
    fail(new ClientDisconnectedError());
  };
  const endDeadline = startDeadline(ms, () => {
    end();
    fail(expired());
  });
  client?.on('abort', onDisconnect);
  return end;
}
