import { outcomeOf } from '../../resilience/outcome';
import type { FailureReason } from '../../resilience/upstream-failure';
import type { CompletenessLevel } from '../model/completeness';
import type { QueryResult } from '../model/query-result';
import { ShippingNotFoundException } from '../queries/shared/shipping-not-found.exception';

/** The outcome of a query as a label. */
export type QueryOutcome = CompletenessLevel | FailureReason | 'not-found' | 'caller-left';

export function outcomeOfResult({ completeness }: QueryResult<unknown>): QueryOutcome {
  return completeness.level;
}

export function outcomeOfError(error: unknown): QueryOutcome {
  return error instanceof ShippingNotFoundException ? 'not-found' : outcomeOf(error);
}
