import { wrongShape } from '../../../resilience/upstream-failure';
import { asPartial, type QueryResult } from '../../model/query-result';
import { headerText } from '../transport/response-text';
import { booleanOf, countOf, fieldOf, isAbsent, isText, isUpstreamObject } from './json-values';
import type { UpstreamResponse } from './shipping-protocol';

type Sign = (value: unknown) => boolean;
const named = (names: string, sign: Sign) => names.split(' ').map((name) => [name, sign] as const);
const isFalse: Sign = (value) => booleanOf(value) === false;
const isTrue: Sign = (value) => booleanOf(value) === true;

/** The fields by which a list says that it failed (D18), and that there is more (D31), by their names in lower case. */
const FAILURES = new Map([...named('success issuccess succeeded', isFalse), ...named('error errors fault', isError)]);
const MORE = new Map([...named('nextlink next @odata.nextlink', isText), ...named('hasmore has_more', isTrue)]);
/** Tried first, because most names are none of these, and a name in lower case is another text. */
const SIGN = new RegExp(`^(?:${[...FAILURES.keys(), ...MORE.keys()].join('|')})$`, 'i');
const FAILURE = 'says that it failed';

const TARGET = /<[^<>]*>/g;
const NEXT_RELATION = /;\s*rel\s*=\s*"?(?:[^",;]*\s)?next(?:[\s",;]|$)/i;

/**
 * Maps the body of a list, and heeds what its response says of itself beside the records: that it failed (D18), or that
 * there is more (D31).
 *
 * @param name of the field with the records
 * @throws {UpstreamFailure} where the response says that it failed, and no record came
 */
export function mapEnvelope<Body>(
  body: unknown,
  headers: UpstreamResponse['headers'],
  name: 'ShippingDetails' | 'Items',
  map: (body: unknown) => QueryResult<Body>,
): QueryResult<Body> {
  const fields = isUpstreamObject(body) ? body : {};
  const records = fieldOf(fields, name);
  const count = Array.isArray(records) ? records.length : 0;
  let failed: string | undefined;
  let hasMore = headers.link !== undefined && NEXT_RELATION.test(headerText(headers.link).replaceAll(TARGET, ''));
  for (const key of Object.keys(fields)) {
    if (!SIGN.test(key)) continue;
    if (FAILURES.get(key.toLowerCase())?.(fields[key]) === true) failed ??= key;
    if (MORE.get(key.toLowerCase())?.(fields[key]) === true) hasMore = true;
  }
  if (failed !== undefined && count === 0) throw wrongShape(`${failed}: ${FAILURE}`);
  // A page has a total and a flag of its own (D14).
  const isCutOff =
    name === 'Items'
      ? hasMore && count > 0 && isAbsent(fieldOf(fields, 'HasNextPage'))
      : hasMore || (countOf(headers['x-total-count']) ?? 0) > count;
  const result = map(isCutOff ? { ...fields, HasNextPage: true } : body);
  if (failed === undefined) return result;
  return { ...result, completeness: asPartial(result.completeness, [{ field: failed, what: FAILURE }]) };
}

/** Whether a value names an error. Many systems send `null`, `[]`, `{}` or the code 0 where they have no error. */
function isError(value: unknown): boolean {
  if (isAbsent(value) || isFalse(value)) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isUpstreamObject(value) || (Object.keys(value).length > 0 && !isFalse(fieldOf(value, 'Code')));
}
