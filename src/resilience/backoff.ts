export interface BackoffSettings {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * The wait before a retry, in milliseconds: full jitter, `random · min(cap, base · 2^retry)`, and at least the
 * `Retry-After` of the upstream.
 *
 * @param retry 0 for the first.
 * @param random from 0 up to, not including, 1.
 */
export function backoff(settings: BackoffSettings, retry: number, random: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, random * Math.min(settings.capMs, settings.baseMs * 2 ** retry));
}
