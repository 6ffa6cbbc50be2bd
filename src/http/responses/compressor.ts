import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import pLimit from 'p-limit';
import { MAX_COMPRESSING } from '../server/bounds';

const compressing = pLimit(MAX_COMPRESSING);
const compress = promisify<Buffer, Buffer>(gzip);

/** Compresses a whole body by gzip in another thread; waits while {@link MAX_COMPRESSING} compressors run. */
export function compressOnce(body: Buffer): Promise<Buffer> {
  return compressing(() => compress(body));
}
