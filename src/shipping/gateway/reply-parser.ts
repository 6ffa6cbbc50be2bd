import { badReply } from './failures';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads the JSON of a successful reply, as an axios response transform. Replies of other statuses are left as text.
 *
 * @returns the value, `undefined` for an empty body
 * @throws {AttemptFailure} where the text is no JSON
 */
export function parseReply(text: string, _headers?: unknown, status = 200): unknown {
  if (status < 200 || status >= 300) return text;
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (json === '') return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw badReply('The reply is no JSON');
  }
}
