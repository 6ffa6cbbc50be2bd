import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import pLimit from 'p-limit';
import { etagOf } from './responses/etags';
import { MAX_COMPRESSING } from './server/bounds';
import { bytesOf, memoryOfBody } from './server/held-memory';

/** Other threads compress at most {@link MAX_COMPRESSING} bodies at a time; the others wait (D59). */
const compressing = pLimit(MAX_COMPRESSING);
const compress = promisify<string | Buffer, Buffer>(gzip);

/**
 * Longer texts are sent as bytes, see {@link heldOutsideHeap}, and compressed in other threads, to keep the event loop
 * free; shorter ones are compressed at once, which is faster.
 */
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

/**
 * Copies bytes that are kept into memory of their own. A slice keeps the whole: one of a value from Redis up to 1 MiB,
 * one of Node's pool, from which compressors get small results, up to 64 KiB.
 */
export function copyOf(bytes: Buffer): Buffer {
  return Buffer.from(new Uint8Array(bytes).buffer);
}

/**
 * The text of a body that many responses send. The text, its ETag and its gzip coding are made once, and no response
 * changes them (D75). A short text is a string, which Node sends in one write with the headers.
 */
export class SharedBody {
  private pending: Promise<Buffer> | undefined;
  /** Called when the coding was made, so that the cache stores it with the rest. */
  whenEncoded: (() => void) | undefined;

  /**
   * @param tag the ETag, where it was made before
   * @param encoded the coding; `undefined` where no client has asked for it
   */
  constructor(
    readonly json: string | Buffer,
    private tag?: string,
    public encoded?: Buffer,
  ) {}

  static of(text: string): SharedBody {
    return new SharedBody(heldOutsideHeap(text));
  }

  /** The ETag of the text, made when it is first needed. */
  get etag(): string {
    return (this.tag ??= etagOf(this.json));
  }

  /** The memory that is held: of the text and of its coding. */
  get bytes(): number {
    return bytesOf([{ body: memoryOfBody(this.json), otherBytes: this.encoded?.length ?? 0 }]);
  }

  /** Whether the coding is there, or made at once. */
  get isSoonCompressed(): boolean {
    return this.encoded !== undefined || this.json.length < LONG_TEXT;
  }

  /** The text, compressed by gzip. All get the same buffer. */
  compressed(): Buffer | Promise<Buffer> {
    if (this.isSoonCompressed) return this.encoded ?? this.keep(gzipSync(this.json));
    this.pending ??= compressing(() => compress(this.json))
      .then(this.keep.bind(this))
      .finally(() => (this.pending = undefined));
    return this.pending;
  }

  private keep(encoded: Buffer): Buffer {
    this.encoded = copyOf(encoded);
    this.whenEncoded?.();
    return this.encoded;
  }
}

/**
 * What a controller returns instead of a body whose bytes are ready. Nest keeps what a controller returns until the
 * response is sent: the bytes are taken out of it, because of a compressed body only the coding must be held until then
 * (D59).
 */
export class ReadyBody {
  constructor(public content: SharedBody | undefined) {}

  /** Returns the text that is sent, and releases it. */
  take(): string | Buffer {
    const { json = '' } = this.content ?? {};
    this.content = undefined;
    return json;
  }
}

// Nest asks of each object that a handler returns whether its class is `Object`, by the source texts of both. Where the
// prototype names no class, it does not: 1.5 % of a page of ten.
Reflect.deleteProperty(ReadyBody.prototype, 'constructor');
