import { badReply, isSuccess, wrongShape } from './failures';

/** No reply begins like this, and parsing one of a few hundred thousand levels takes tens of milliseconds. */
const ARRAY_OF_ARRAYS = /^\s*\[\s*\[/;

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads the JSON of a successful reply, as an axios response transform. Replies of other statuses are left as text.
 *
 * @returns the value, `undefined` for an empty body
 * @throws {AttemptFailure} where the text is no JSON
 */
export function parseReply(text: string, _headers?: unknown, status = 200): unknown {
  if (!isSuccess(status)) return text;
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (json === '') return undefined;
  if (ARRAY_OF_ARRAYS.test(json)) throw wrongShape('The reply is an array of arrays');
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw badReply('The reply is no JSON');
  }
}
