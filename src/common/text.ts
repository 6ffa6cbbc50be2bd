export function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

export function isVisibleAscii(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';

/**
 * Whether two texts are the same but for the case of ASCII letters. Lower case alone takes the Kelvin sign for a `k`,
 * upper case alone a dotless i for an `I`, and a long s for an `S`.
 */
export function equalsIgnoringCase(text: string, other: string): boolean {
  return text.toLowerCase() === other.toLowerCase() && text.toUpperCase() === other.toUpperCase();
}

/** An address without the port that some proxies add: `192.0.2.1:555`, `[2001:db8::1]:80`. */
export function withoutPort(address = ''): string {
  return address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
}

/** The nearest known name, ignoring case, where at most a share of its characters differs. */
export function nearestName(name: string, known: readonly string[], maxDifferent = 0.4): string | undefined {
  const [nearest] = known
    .map((other) => ({ other, share: editDistance(name, other) / Math.max(name.length, other.length) }))
    .filter(({ share }) => share <= maxDifferent)
    .sort((left, right) => left.share - right.share);
  return nearest?.other;
}

/** Levenshtein distance, ignoring case. */
function editDistance(from: string, to: string): number {
  const [left, right] = [[...from.toLowerCase()], [...to.toLowerCase()]];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [row, character] of left.entries()) {
    const current = [row + 1];
    for (const [column, other] of right.entries()) {
      const replaced = (previous[column] ?? 0) + (character === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
