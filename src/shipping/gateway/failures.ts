import { AttemptFailure } from './policy/attempt-failure';

const UNWELL = { retryable: true, countsAgainstCircuit: true } as const;
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Whether a reply of this status is one that holds what was asked for. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A reply that is truncated or cannot be read: another attempt may do better. */
export function badReply(message: string): AttemptFailure {
  return new AttemptFailure('bad-reply', message, UNWELL);
}

/** A whole reply that is not what was agreed: another attempt would get the same. */
export function wrongShape(message: string): AttemptFailure {
  return new AttemptFailure('bad-reply', message, { retryable: false, countsAgainstCircuit: true });
}

/** A reply beyond the size limit. */
export function oversized(): AttemptFailure {
  return wrongShape('The reply exceeds the size limit');
}

/** The attempt was abandoned. */
export function timedOut(): AttemptFailure {
  return new AttemptFailure('upstream-timeout', 'The attempt was abandoned', UNWELL);
}

/** No connection, or it broke before a status line. */
export function unreachable(deadConnection: boolean): AttemptFailure {
  return new AttemptFailure('upstream-unreachable', 'No answer before the connection ended', {
    ...UNWELL,
    deadConnection,
  });
}

/** A status outside 2xx that is not a plain "no match". */
export function failedStatus(status: number, retryAfterMs: number | undefined): AttemptFailure {
  if (status >= 300 && status < 400) return wrongShape('The reply is a redirect');
  return new AttemptFailure('upstream-error', `The external system answered ${status}`, {
    retryable: RETRYABLE_STATUSES.has(status),
    countsAgainstCircuit: status >= 500 || status === 429,
    retryAfterMs,
  });
}
