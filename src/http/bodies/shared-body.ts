import { hash } from 'node:crypto';
import { type Coding, compressOnce } from './compressor';
import { bytesOfHeld, heldOutsideHeap, memoryOfBody } from './held-memory';

/** The ETag of a body, with its quotes. */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'hex').slice(0, 16)}"`;
}

/**
 * The JSON text of a body that many responses send. The text, its ETag and its codings are made once, and no response
 * changes them (D75). A short text is a string, which Node sends in one write with the headers.
 */
export class SharedBody {
  private pending: Partial<Record<Coding, Promise<Buffer>>> = {};
  /** Called when a coding was added, so that the cache stores it with the rest. */
  whenEncoded: (() => void) | undefined;

  /** @param codings the text in each coding that clients have asked for */
  constructor(
    readonly json: string | Buffer,
    readonly etag: string,
    readonly codings: Partial<Record<Coding, Buffer>> = {},
  ) {}

  static of(text: string): SharedBody {
    const json = heldOutsideHeap(text);
    return new SharedBody(json, etagOf(json));
  }

  /** The memory that is held: of the text and of its codings. */
  get bytes(): number {
    const { br, gzip } = this.codings;
    return bytesOfHeld(memoryOfBody(this.json)) + (br?.length ?? 0) + (gzip?.length ?? 0);
  }

  /** The text in a coding; all who ask for the same one get the same buffer. */
  async encoded(coding: Coding): Promise<Buffer> {
    const made = this.codings[coding];
    return made ?? (this.pending[coding] ??= this.encode(coding));
  }

  private async encode(coding: Coding): Promise<Buffer> {
    try {
      const encoded = await compressOnce(coding, Buffer.from(this.json));
      this.codings[coding] = encoded;
      this.whenEncoded?.();
      return encoded;
    } finally {
      this.pending = { ...this.pending, [coding]: undefined };
    }
  }
}
