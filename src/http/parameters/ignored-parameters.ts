/** Names the parameters of a request that the service ignored. */
export const IGNORED_PARAMETERS_HEADER = 'Shipping-Ignored-Parameters';

/** More are not named: the header stays small. */
export const MAX_IGNORED_LISTED = 10;

const LISTABLE_NAME = /^[\x20-\x7e]{1,64}$/;

/**
 * Lists names as a structured field (RFC 9651): a list of strings, each once, with `did-you-mean` where a known name is
 * near. Names that are not 1 to 64 printable ASCII characters are left out.
 *
 * @param nearestTo the known name that is near, if any
 * @returns `undefined` where no name is left
 */
export function listIgnored(
  names: readonly string[],
  nearestTo: (name: string) => string | undefined,
): string | undefined {
  const listed = [...new Set(names)].filter((name) => LISTABLE_NAME.test(name)).slice(0, MAX_IGNORED_LISTED);
  if (listed.length === 0) return undefined;
  return listed.map((name) => listMember(name, nearestTo(name))).join(', ');
}

function listMember(name: string, nearest: string | undefined): string {
  return nearest === undefined ? quoted(name) : `${quoted(name)};did-you-mean=${quoted(nearest)}`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
