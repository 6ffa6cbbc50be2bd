/** Names the parameters of a request that the service ignored. */
export const IGNORED_PARAMETERS_HEADER = 'Shipping-Ignored-Parameters';

/** More are not named: the header stays small. */
export const MAX_IGNORED_LISTED = 10;

const LISTABLE_NAME = /^[\x20-\x7e]{1,64}$/;

/**
 * Lists names as a structured field (RFC 9651), a list of strings, each once. Names that are not 1 to 64 printable ASCII
 * characters are left out.
 *
 * @returns an empty text where no name is left
 */
export function listIgnored(names: readonly string[]): string {
  const listed = [...new Set(names)].filter((name) => LISTABLE_NAME.test(name)).slice(0, MAX_IGNORED_LISTED);
  return listed.map((name) => `"${name.replace(/["\\]/g, '\\$&')}"`).join(', ');
}
