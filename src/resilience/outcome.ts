import { ClientDisconnectedError } from './client-disconnected.error';
import { UpstreamFailure, type FailureReason } from './upstream-failure';

/** The outcome of a failed call as a label: bounded, without the message of the error. */
export function outcomeOf(error: unknown): FailureReason | 'caller-left' {
  if (error instanceof UpstreamFailure) return error.reason;
  return error instanceof ClientDisconnectedError ? 'caller-left' : 'internal';
}
