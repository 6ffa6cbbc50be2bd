import { Readable } from 'node:stream';

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

/**
 * Copies bytes that are kept into memory of their own. A slice keeps the whole: one of a value from Redis up to 1 MiB,
 * one of Node's pool, from which compressors get small results, up to 64 KiB.
 */
export function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Memory of a body that is a stream and is not read: 64 KiB are buffered by the stream and 64 KiB by the response. */
const STREAM_BYTES = 131_072;

/** Texts of at least so many characters are sent as bytes, see {@link heldOutsideHeap}. */
const LONG_TEXT = 65_536;

/**
 * Turns a long text into bytes, which V8 keeps outside its heap. Node releases the unread responses of a closed
 * connection only after it has processed all that had arrived; until then more responses may be made, and as texts they
 * would fill the heap and end the process.
 */
export function heldOutsideHeap<Payload>(payload: Payload): Payload | Buffer {
  return typeof payload === 'string' && payload.length >= LONG_TEXT ? Buffer.from(payload) : payload;
}

/**
 * Memory of the objects from which a long JSON text was made, by the length of the text: a list of 10,000 records has
 * 2.9 MB as JSON and takes 8 MB as objects. Nest keeps them until the response is sent.
 */
const OBJECTS_PER_TEXT = 3;

/** Memory of the objects that a payload was made from; small ones do not count. */
export function bytesOfObjects(payload: unknown): number {
  return typeof payload === 'string' && payload.length >= LONG_TEXT ? OBJECTS_PER_TEXT * payload.length : 0;
}

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

/** V8 stores a text with two bytes for each character where one character is not of Latin-1. */
export function isWide(text: string): boolean {
  return /[^\0-\xff]/.test(text);
}
