const PREFERENCE =
  /(?:^|,)[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^\s",;]*))?[^,"]*(?:"(?:[^"\\]|\\.)*"[^,"]*)*/g;

/**
 * Whether a `Prefer` header (RFC 7240) asks for `handling=strict`. Where a preference is given more than once, only the
 * first counts.
 */
export function prefersStrictHandling(header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  for (const [, name = '', value = ''] of header.matchAll(PREFERENCE)) {
    if (name.toLowerCase() === 'handling') return value.replaceAll('"', '').toLowerCase() === 'strict';
  }
  return false;
}
