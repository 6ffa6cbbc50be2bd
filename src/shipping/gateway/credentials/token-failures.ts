import { AttemptFailure, type AttemptFailureTraits } from '../../../resilience/attempt-failure';

/**
 * A failure of the token endpoint counts as one of the external system. Another attempt of the same call would come
 * within the back-off. Messages are logged, and hold no value of the response.
 */
function failure(reason: AttemptFailure['reason'], message: string, retryAfterMs?: number): AttemptFailure {
  const traits: AttemptFailureTraits = { retryable: false, countsAgainstCircuit: true, retryAfterMs };
  return new AttemptFailure(reason, message, traits);
}

export function tokenTimedOut(): AttemptFailure {
  return failure('upstream-timeout', 'no response in time');
}

/** @param cause the code of the error, such as `ECONNREFUSED` */
export function tokenEndpointUnreachable(cause: string): AttemptFailure {
  return failure('upstream-unreachable', cause);
}

/** @param retryAfterMs from `Retry-After` */
export function tokenRefused(status: number, retryAfterMs?: number): AttemptFailure {
  return failure('upstream-error', `status ${status}`, retryAfterMs);
}

export function tokenUnusable(message: string): AttemptFailure {
  return failure('bad-reply', message);
}

/** The same failure again, while no token is fetched for `waitMs` milliseconds. */
export function stillFailing({ reason, message }: AttemptFailure, waitMs: number): AttemptFailure {
  return failure(reason, message, waitMs);
}
