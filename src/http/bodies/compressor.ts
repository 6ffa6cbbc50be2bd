import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import pLimit from 'p-limit';

/** Compressors that run at a time, whatever the number of bodies that wait for one (D59). */
const MAX_COMPRESSING = 4;
/** Memory of the compressors and of what they have made so far, outside the heap. */
export const COMPRESSORS_BYTES = MAX_COMPRESSING * 5_242_880;

const compressing = pLimit(MAX_COMPRESSING);
const compress = promisify<Buffer, Buffer>(gzip);

/** Compresses a whole body by gzip in another thread; waits while {@link MAX_COMPRESSING} compressors run. */
export function compressOnce(body: Buffer): Promise<Buffer> {
  return compressing(() => compress(body));
}
