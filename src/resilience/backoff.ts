const BASE_MS = 100;
const CAP_MS = 1000;

/** The milliseconds before a retry, with full jitter; `retry` is 0 for the first, `random` at least 0 and below 1. */
export function backoff(retry: number, random: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, random * Math.min(CAP_MS, BASE_MS * 2 ** retry));
}
