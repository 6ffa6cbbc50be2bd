import { isWide } from '../common/text';

/**
 * Memory of parts of a parsed value in V8, as measured on Node 20 and 26, rounded up: a wrong guess counts too much.
 * Each is counted by the sign that it has in JSON. A property is one with a name that no other object has.
 */
const BYTES_OF_SIGNS = { '":': 104, '{': 60, '[': 64, ',': 32 };

/**
 * Memory that a value which was parsed from JSON holds, in bytes. It may overestimate, by seven times for numbers, and
 * does not underestimate: a store that somebody else fills is bounded by it. Short texts and empty objects take up to
 * twenty times the bytes that came over the wire.
 */
export function heldBytes(value: unknown): number {
  const json = JSON.stringify([value]);
  let bytes = (isWide(json) ? 2 : 1) * json.length;
  for (const [sign, each] of Object.entries(BYTES_OF_SIGNS)) bytes += each * (json.split(sign).length - 1);
  return bytes;
}
