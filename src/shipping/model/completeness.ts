import type { FailureReason } from '../../resilience/upstream-failure';

/** How much of the data of the external system a result has. */
export const COMPLETENESS_LEVELS = ['complete', 'partial', 'stale', 'unavailable'] as const;
export type CompletenessLevel = (typeof COMPLETENESS_LEVELS)[number];

/**
 * How complete a result is, and why it is not complete. A complete list with as many records as its limit, or more, has
 * that `limit`: it may be cut off.
 */
export type Completeness =
  | { readonly level: 'complete'; readonly limit?: number }
  | { readonly level: Exclude<CompletenessLevel, 'complete'>; readonly reason: FailureReason };

export const COMPLETE: Completeness = Object.freeze({ level: 'complete' });
export const PARTIAL: Completeness = Object.freeze({ level: 'partial', reason: 'bad-reply' });
