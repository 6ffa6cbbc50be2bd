import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { compressOnce } from './compressor';
import { bytesOfHeld, heldOutsideHeap, memoryOfBody } from './held-memory';

/** Larger bodies are compressed in other threads, to keep the event loop free; smaller ones at once, which is faster. */
const COMPRESSED_AT_ONCE_BYTES = 65_536;

/** The ETag of a body, with its quotes. */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'hex').slice(0, 16)}"`;
}

/**
 * The text of a body that many responses send. The text, its ETag and its gzip coding are made once, and no response
 * changes them (D75). A short text is a string, which Node sends in one write with the headers.
 */
export class SharedBody {
  private pending: Promise<Buffer> | undefined;
  /** Called when the coding was made, so that the cache stores it with the rest. */
  whenEncoded: (() => void) | undefined;

  /** @param gzip the coding, where a client has asked for it already */
  constructor(
    readonly json: string | Buffer,
    readonly etag: string,
    private gzip?: Buffer,
  ) {}

  static of(text: string): SharedBody {
    const json = heldOutsideHeap(text);
    return new SharedBody(json, etagOf(json));
  }

  /** The memory that is held: of the text and of its coding. */
  get bytes(): number {
    return bytesOfHeld(memoryOfBody(this.json)) + (this.gzip?.length ?? 0);
  }

  /** The coding; `undefined` where no client has asked for it. */
  get encoded(): Buffer | undefined {
    return this.gzip;
  }

  /** Whether the coding is there, or made at once. */
  get isSoonCompressed(): boolean {
    return this.gzip !== undefined || this.json.length < COMPRESSED_AT_ONCE_BYTES;
  }

  /** The text, compressed by gzip. All get the same buffer. */
  compressed(): Buffer | Promise<Buffer> {
    if (this.isSoonCompressed) return this.gzip ?? this.keep(gzipSync(this.json));
    this.pending ??= compressOnce(Buffer.from(this.json))
      .then(this.keep.bind(this))
      .finally(() => (this.pending = undefined));
    return this.pending;
  }

  private keep(encoded: Buffer): Buffer {
    this.gzip = encoded;
    this.whenEncoded?.();
    return encoded;
  }
}
