import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of V8's heap in use after its garbage was collected; what is released late needs several collections. */
export function usedHeap(): number {
  for (let time = 0; time < 4; time += 1) collectGarbage();
  return process.memoryUsage().heapUsed;
}
