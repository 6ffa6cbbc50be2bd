const NOTHING = new Uint8Array();

/**
 * Joins the chunks of a body as they come: it takes about the memory of its size, however small the chunks are. A list
 * of chunks would hold an object of a hundred bytes or more for each.
 */
export class JoinedChunks {
  /** The body so far is its first `size` bytes; the rest is room for more chunks. */
  private buffer: Uint8Array = NOTHING;
  size = 0;

  /** @param maxBytes the most bytes that the body may have */
  constructor(private readonly maxBytes: number) {}

  /** The body so far, without a copy. */
  get bytes(): Buffer {
    return Buffer.from(this.buffer.buffer, this.buffer.byteOffset, this.size);
  }

  /** @returns whether the body is within its limit with the chunk; otherwise it stays without it */
  add(chunk: Uint8Array): boolean {
    const size = this.size + chunk.length;
    if (size > this.maxBytes) return false;
    // Most bodies are one chunk, which is then never copied.
    if (this.size === 0) this.buffer = chunk;
    else {
      if (size > this.buffer.length) this.grow(size);
      this.buffer.set(chunk, this.size);
    }
    this.size = size;
    return true;
  }

  /** Doubles the buffer, so that each byte is copied about once more. */
  private grow(size: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(2 * this.buffer.length, size), this.maxBytes));
    grown.set(this.bytes);
    this.buffer = grown;
  }
}
