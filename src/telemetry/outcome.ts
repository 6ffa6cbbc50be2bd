import { CallerLeft } from '../shipping/gateway/policy/caller-left';
import type { IncompletenessReason } from '../shipping/model/completeness';
import { ExternalSystemFailure } from '../shipping/model/external-system-failure';

/** How a call that failed is counted and shown: bounded, and nothing of its message. */
export function outcomeOf(error: unknown): IncompletenessReason | 'caller-left' {
  if (error instanceof ExternalSystemFailure) return error.reason;
  return error instanceof CallerLeft ? 'caller-left' : 'internal';
}
