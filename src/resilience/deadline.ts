// Not the globals: fake timers replace those and make an immediate take a millisecond.
import { clearImmediate, setImmediate } from 'node:timers';

/**
 * Starts a time limit. Upstream responses that arrived during a pause of the process (a busy machine, a long garbage
 * collection) are read before it takes effect: Node runs timers before it reads sockets, and immediates after.
 *
 * @param onPassed called once, unless the limit is ended before
 * @returns ends the limit
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
