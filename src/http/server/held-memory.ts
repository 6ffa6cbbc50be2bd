import { Readable } from 'node:stream';
import { isWide } from '../../common/text';

/** What holds memory until it is sent: a body, which others may hold, too, and bytes of its own. */
export interface Held {
  /** The body, or its memory in bytes where it is no `Buffer`. */
  readonly body: Buffer | number;
  readonly otherBytes: number;
}

/** Memory of all of these. What several hold counts once, and of a slice the whole that it keeps counts (D59). */
export function bytesOf(holders: Iterable<Held>): number {
  const counted = new Set<ArrayBufferLike>();
  let bytes = 0;
  for (const { body, otherBytes } of holders) {
    bytes += otherBytes;
    if (typeof body === 'number') {
      bytes += body;
    } else if (!counted.has(body.buffer)) {
      counted.add(body.buffer);
      bytes += body.buffer.byteLength;
    }
  }
  return bytes;
}

/** Memory of a body that is a stream and is not read: 64 KiB are buffered by the stream and 64 KiB by the response. */
const STREAM_BYTES = 131_072;

/** Memory of a body. */
export function memoryOfBody(payload: unknown): Held['body'] {
  if (typeof payload === 'string') {
    const bytes = Buffer.byteLength(payload);
    // The search takes time. Texts of ASCII, the usual ones, need none: they have as many bytes as characters.
    return bytes !== payload.length && isWide(payload) ? Math.max(bytes, 2 * payload.length) : bytes;
  }
  if (Buffer.isBuffer(payload)) return payload;
  return payload instanceof Readable ? STREAM_BYTES : 0;
}
