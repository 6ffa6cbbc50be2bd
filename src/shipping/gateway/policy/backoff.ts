export interface BackoffSettings {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * How long to wait before a retry, in milliseconds: full jitter, `random · min(cap, base · 2^retry)`, and never less
 * than the external system asked for.
 *
 * @param retry 0 for the first.
 * @param random from 0 up to, not including, 1.
 */
export function backoff(settings: BackoffSettings, retry: number, random: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, random * Math.min(settings.capMs, settings.baseMs * 2 ** retry));
}
