/** Memory of parts of a value in V8, as measured on Node 20 and 26, rounded up: a wrong guess counts too much. */
const TEXT_BYTES = 24;
const CONTAINER_BYTES = 64;
const ELEMENT_BYTES = 8;
/** A property with a name that no other object has, and its place in an object with many of them. */
const PROPERTY_BYTES = 96;
const OTHER_BYTES = 16;

/**
 * Memory that a value which was parsed from JSON holds, in bytes. It may overestimate, by three times for numbers, and
 * does not underestimate: a store that somebody else fills is bounded by it. Short texts and empty objects take up to
 * twenty times the bytes that came over the wire.
 */
export function heldBytes(value: unknown): number {
  let bytes = 0;
  // A list of what is still to be counted instead of recursion, which a deeply nested value would overflow.
  const pending = [value];
  for (const part of pending) {
    if (typeof part === 'string') {
      bytes += heldBytesOfText(part);
    } else if (typeof part !== 'object' || part === null) {
      bytes += OTHER_BYTES;
    } else if (Array.isArray(part)) {
      bytes += CONTAINER_BYTES + ELEMENT_BYTES * part.length;
      for (const element of part as unknown[]) pending.push(element);
    } else {
      bytes += CONTAINER_BYTES;
      for (const [name, member] of Object.entries(part)) {
        bytes += PROPERTY_BYTES + 2 * name.length;
        pending.push(member);
      }
    }
  }
  return bytes;
}

/** V8 stores a text with two bytes for each character where one character is not of Latin-1. */
function heldBytesOfText(text: string): number {
  return TEXT_BYTES + (/[^\0-\xff]/.test(text) ? 2 : 1) * text.length;
}
