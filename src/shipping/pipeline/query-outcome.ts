import { outcomeOf } from '../../telemetry/outcome';
import type { Answer, CompletenessLevel, IncompletenessReason } from '../model/completeness';
import { ShippingNotFound } from '../queries/shipping-not-found';

/** How a query ended, in few words: fit for a label. */
export type QueryOutcome = CompletenessLevel | IncompletenessReason | 'not-found' | 'caller-left';

export function outcomeOfAnswer({ completeness }: Answer<unknown>): QueryOutcome {
  return completeness.level;
}

export function outcomeOfError(error: unknown): QueryOutcome {
  return error instanceof ShippingNotFound ? 'not-found' : outcomeOf(error);
}
