/** An integer from 0 to below `bound`. */
export type Random = (bound: number) => number;

/** Bytes that parsers of HTTP, URLs and JSON treat specially. */
const SPECIAL = Buffer.from('\0\t\r\n "%&+,/:;=?[]\\{}~\x7f\x80\xff0-9eE.', 'latin1');
const PIECES = [...'% %00 %c3%28 & [] .. 0x -1 1e999 " }'.split(' '), '\r\n', '\r\n\r\n', '\ufeff', 'A'.repeat(300)];
const MAX_CHANGES = 4;

/** Mulberry32: the same numbers for the same seed on every platform. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

/** The bytes with up to four changes: replaced, special, removed, repeated or inserted ones, or the rest cut off. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let mutated = bytes;
  for (let changes = random(MAX_CHANGES + 1); changes > 0; changes -= 1) mutated = change(mutated, random);
  return mutated;
}

function change(bytes: Buffer, random: Random): Buffer {
  const at = random(bytes.length + 1);
  const until = Math.min(bytes.length, at + 1 + random(16));
  const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, until), bytes.subarray(until)];
  switch (random(8)) {
    case 0:
    case 1:
      return Buffer.concat([before, Buffer.of(random(256)), bytes.subarray(at + 1)]);
    case 2:
    case 3:
      return Buffer.concat([before, Buffer.of(SPECIAL[random(SPECIAL.length)] ?? 0), bytes.subarray(at + 1)]);
    case 4:
      return Buffer.concat([before, after]);
    case 5:
      return Buffer.concat([before, middle, middle, after]);
    case 6:
      return Buffer.concat([before, Buffer.from(PIECES[random(PIECES.length)] ?? ''), bytes.subarray(at)]);
    default:
      // Rarely: the service waits for the rest.
      return random(8) === 0 ? before : Buffer.concat([before, Buffer.from('\r\n'), bytes.subarray(at)]);
  }
}
