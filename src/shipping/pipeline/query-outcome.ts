import { HttpException } from '@nestjs/common';
import { outcomeOf } from '../../resilience/outcome';
import type { FailureReason } from '../../resilience/upstream-failure';
import type { CompletenessLevel } from '../model/completeness';
import type { QueryResult } from '../model/query-result';
import { ShippingNotFoundException } from '../queries/shared/shipping-not-found.exception';

/** The outcome of a query as a label. */
export type QueryOutcome = CompletenessLevel | FailureReason | 'not-found' | 'refused' | 'caller-left';

export function outcomeOfResult({ completeness }: QueryResult<unknown>): QueryOutcome {
  return completeness.level;
}

export function outcomeOfError(error: unknown): QueryOutcome {
  if (error instanceof ShippingNotFoundException) return 'not-found';
  return isRefusal(error) ? 'refused' : outcomeOf(error);
}

/** Whether a handler or a behaviour refuses the query with a 4xx. */
export function isRefusal(error: unknown): boolean {
  return error instanceof HttpException && error.getStatus() < 500;
}
