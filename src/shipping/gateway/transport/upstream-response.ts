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
 * @throws {UpstreamFailure} for every other status
 */
export function bodyOf({ status, data, headers }: UpstreamResponse): unknown {
  if (isSuccess(status)) return data;
  if (status === 404 && isWebPage(headers)) throw webPage();
  throw failedStatus(status, retryAfterMs(headers['retry-after']));
}

/** Whether the body is a page for people, as proxies send it. */
export function isWebPage(headers: UpstreamResponse['headers']): boolean {
  return /^text\/html\b/i.test(String(headers['content-type']));
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Parses the JSON of a successful upstream response, as an axios response transform too. Other bodies stay as they are.
 *
 * @returns the value; `undefined` for an empty body
 * @throws {UpstreamFailure} where the text is no JSON
 */
export function parseResponse(body: unknown, _headers?: unknown, status = 200): unknown {
  if (typeof body !== 'string' || !isSuccess(status)) return body;
  const json = body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body;
  if (json === '') return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw wrongShape('The upstream response is no JSON');
  }
}
