import leven from 'leven';

export function isVisibleAscii(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** V8 stores a text with two bytes for each character where one character is not of Latin-1. */
export function isWide(text: string): boolean {
  return /[^\0-\xff]/.test(text);
}

/**
 * Whether two texts differ at most in the case of their letters. Both cases are compared, because some characters have
 * an ASCII letter as one of their cases: the lower case of the Kelvin sign is `k`, the upper case of a dotless i is
 * `I`, and that of a long s is `S`.
 */
export function equalsIgnoringCase(text: string, other: string): boolean {
  return text.toLowerCase() === other.toLowerCase() && text.toUpperCase() === other.toUpperCase();
}

/** White space of Unicode, and the invisible characters that come along when text is pasted (D3). */
const BLANK = /[\s\u0085\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
/**
 * Removes blanks from both ends (D3), in linear time: an expression for blanks at the end would take quadratic time
 * where many blanks stand inside the text.
 */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.test(text.charAt(start))) start += 1;
  while (start < end && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** An address without the port that some proxies add: `192.0.2.1:555`, `[2001:db8::1]:80`. */
export function withoutPort(address = ''): string {
  return address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
}

/**
 * The known name that is nearest to a name, ignoring case.
 *
 * @param maxDifferent the share of the longer name's characters that may differ (D2)
 * @returns `undefined` where more differs from each known name
 */
export function nearestName(name: string, known: readonly string[], maxDifferent = 0.4): string | undefined {
  const lower = name.toLowerCase();
  const shares = known.map((other) => leven(lower, other.toLowerCase()) / Math.max(name.length, other.length));
  const least = Math.min(...shares);
  return least <= maxDifferent ? known[shares.indexOf(least)] : undefined;
}
