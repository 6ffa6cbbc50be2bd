import { badResponse, isSuccess } from '../../../resilience/http-failures';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Parses the JSON of a successful upstream response, as an axios response transform. Other bodies stay text.
 *
 * @returns the value, `undefined` for an empty body
 * @throws {AttemptFailure} where the text is no JSON
 */
export function parseResponse(text: string, _headers?: unknown, status = 200): unknown {
  if (!isSuccess(status)) return text;
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (json === '') return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw badResponse('The upstream response is no JSON');
  }
}
