import { toUSVString } from 'node:util';
import { hasMoreObjectsThan, isDeeperThan } from '../../../common/json-depth';
import { failedStatus, isSuccess, retryAfterMs, webPage, wrongShape } from '../../../resilience/http-failures';

/** An upstream response; `data` is parsed JSON where the status is 2xx, and text otherwise. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

/**
 * The body of a response with a status of 2xx.
 *
 * @throws {AttemptFailure} for every other status
 */
export function bodyOf({ status, data, headers }: UpstreamResponse): unknown {
  if (isSuccess(status)) return data;
  if (status === 404 && isWebPage(headers)) throw webPage();
  const retryAfter = headers['retry-after'] as string | undefined;
  throw failedStatus(status, retryAfterMs(retryAfter, Date.now()));
}

/** Whether the body is a page for people, as proxies send it. */
export function isWebPage(headers: UpstreamResponse['headers']): boolean {
  return /^text\/html\b/i.test(String(headers['content-type']));
}

const BYTE_ORDER_MARK = '\ufeff';
const MAX_DEPTH = 32;
/** Objects and arrays of one response; more where they have 32 bytes on average. A megabyte of `{},` becomes 24 of records. */
const MAX_OBJECTS = 100_000;
const MIN_OBJECT_BYTES = 32;

/**
 * Parses the JSON of a successful upstream response, as an axios response transform. Other bodies become text.
 *
 * @param body text or bytes; anything else is parsed already, as by the adapter of a test
 * @returns the value, with U+FFFD for lone surrogates (D49); `undefined` for an empty body
 * @throws {AttemptFailure} where the text is no JSON, nested too deep, because parsing takes seconds for millions of levels, or
 *   has too many objects, because they take many times the memory of their text
 */
export function parseResponse(body: unknown, _headers?: unknown, status = 200): unknown {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return body;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const text = bytes.toString();
  if (!isSuccess(status)) return text;
  if (isDeeperThan(MAX_DEPTH, bytes)) {
    throw wrongShape(`The upstream response is nested deeper than ${MAX_DEPTH} levels`);
  }
  if (hasMoreObjectsThan(Math.max(MAX_OBJECTS, bytes.length / MIN_OBJECT_BYTES), bytes)) {
    throw wrongShape('The upstream response has too many objects');
  }
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (json === '') return undefined;
  try {
    // Only escapes can be lone surrogates: invalid UTF-8 was replaced before.
    const mayBeLone = json.includes('\\ud') || json.includes('\\uD');
    return JSON.parse(json, mayBeLone ? replaceLoneSurrogates : undefined) as unknown;
  } catch {
    throw wrongShape('The upstream response is no JSON');
  }
}

function replaceLoneSurrogates(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? toUSVString(value) : value;
}
