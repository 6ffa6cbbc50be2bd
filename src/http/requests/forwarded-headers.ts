import type { IncomingHttpHeaders } from 'node:http';
import { isPrintableAscii } from '../../common/text';
import { InvalidParametersException } from '../problems/problem-definitions';

/**
 * Headers for forwarded claims; `undefined` where a claim is missing or fits no header. A value with outer blanks fits
 * none: receivers trim them, so that `" t1"` would arrive as `t1`, another tenant's value.
 */
export function claimHeaders(
  claims: Readonly<Record<string, unknown>> = {},
  forwarded: readonly { readonly claim: string; readonly header: string }[],
): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const { claim, header } of forwarded) {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    const text = Number.isSafeInteger(value) ? String(value) : value;
    if (typeof text !== 'string' || text === '' || text !== text.trim() || !isPrintableAscii(text)) return undefined;
    headers[header] = text;
  }
  return headers;
}

/**
 * The forwarded headers of a client.
 *
 * @param fields pairs of the configured and the lower-case name
 * @throws {InvalidParametersException} for values that cannot be sent on unchanged
 */
export function forwardedHeaders(
  headers: IncomingHttpHeaders,
  fields: readonly (readonly [name: string, key: string])[],
): Readonly<Record<string, string>> {
  const forwarded: Record<string, string> = {};
  const invalid: string[] = [];
  for (const [name, key] of fields) {
    const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
    if (value === undefined) continue;
    if (typeof value === 'string' && isPrintableAscii(value)) forwarded[name] = value;
    else invalid.push(name);
  }
  if (invalid.length === 0) return forwarded;
  throw new InvalidParametersException(
    invalid.map((parameter) => ({ parameter, message: 'must consist of visible ASCII characters and spaces' })),
  );
}
