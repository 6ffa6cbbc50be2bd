import { wrongShape } from '../../../resilience/upstream-failure';
import { asPartial, type QueryResult } from '../../model/query-result';
import { headerText } from '../transport/response-text';
import type { UpstreamResponse } from './shipping-protocol';
import { booleanOf, countOf, fieldOf, isAbsent, isText, isUpstreamObject } from './wire-values';

/** The fields by which a list says that it failed (D18), and that there is more (D31). */
const SUCCESS = /^(?:is)?success$|^succeeded$/i;
const ERROR = /^(?:errors?|fault)$/i;
const NEXT_LINK = /^(?:@odata\.)?nextlink$|^next$/i;
const HAS_MORE = /^has_?more$/i;
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
  const names = Object.keys(fields);
  const records = fieldOf(fields, name);
  const count = Array.isArray(records) ? records.length : 0;
  const failed = names.find((each) =>
    SUCCESS.test(each) ? booleanOf(fields[each]) === false : ERROR.test(each) && isError(fields[each]),
  );
  if (failed !== undefined && count === 0) throw wrongShape(`${failed}: ${FAILURE}`);
  const hasMore =
    NEXT_RELATION.test(headerText(headers.link).replaceAll(TARGET, '')) ||
    names.some((each) =>
      NEXT_LINK.test(each) ? isText(fields[each]) : HAS_MORE.test(each) && booleanOf(fields[each]),
    );
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
  if (isAbsent(value) || booleanOf(value) === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isUpstreamObject(value) || (Object.keys(value).length > 0 && booleanOf(fieldOf(value, 'Code')) !== false);
}
