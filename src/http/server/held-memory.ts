/** Memory that a response holds: a buffer, which several responses may share, or a number of bytes. */
export type Held = Buffer | number;

export function bytesOfHeld(held: Held): number {
  return typeof held === 'number' ? held : held.length;
}

/** Adds up memory. A buffer that several responses hold counts once, until the last of them has released it (D59). */
export class HeldMemory {
  bytes = 0;
  private readonly holders = new Map<Buffer, number>();

  hold(held: Held): void {
    const holders = typeof held === 'number' ? 0 : (this.holders.get(held) ?? 0);
    if (holders === 0) this.bytes += bytesOfHeld(held);
    if (typeof held !== 'number') this.holders.set(held, holders + 1);
  }

  release(held: Held): void {
    const left = typeof held === 'number' ? 0 : (this.holders.get(held) ?? 1) - 1;
    if (left === 0) this.bytes -= bytesOfHeld(held);
    if (typeof held === 'number') return;
    if (left === 0) this.holders.delete(held);
    else this.holders.set(held, left);
  }
}
