import { ExternalSystemFailure } from '../model/external-system-failure';
import type { Answer, CompletenessLevel, IncompletenessReason } from '../model/completeness';
import { CallerLeft } from '../gateway/policy/caller-left';
import { ShippingNotFound } from '../queries/shipping-not-found';

/** How a query ended, in few words: fit for a label. */
export type QueryOutcome = CompletenessLevel | IncompletenessReason | 'not-found' | 'caller-left';

export function outcomeOfAnswer({ completeness }: Answer<unknown>): QueryOutcome {
  return completeness.level;
}

export function outcomeOfError(error: unknown): QueryOutcome {
  if (error instanceof ExternalSystemFailure) return error.reason;
  if (error instanceof ShippingNotFound) return 'not-found';
  return error instanceof CallerLeft ? 'caller-left' : 'internal';
}
