import { failedStatus, isSuccess } from '../../../resilience/http-failures';
import { retryAfterMs } from '../../../resilience/retry-after';

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
  const retryAfter = headers['retry-after'] as string | undefined;
  throw failedStatus(status, retryAfterMs(retryAfter, Date.now()));
}
