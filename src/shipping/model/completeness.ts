/** Why an answer is not complete. The tokens travel in the `reason` parameter of `Shipping-Completeness`. */
export const INCOMPLETENESS_REASONS = [
  'upstream-timeout',
  'upstream-unreachable',
  'upstream-error',
  'bad-reply',
  'circuit-open',
  'saturated',
  'internal',
] as const;
export type IncompletenessReason = (typeof INCOMPLETENESS_REASONS)[number];

/** How much of what the external system holds an answer shows. */
export const COMPLETENESS_LEVELS = ['complete', 'partial', 'stale', 'unavailable'] as const;
export type CompletenessLevel = (typeof COMPLETENESS_LEVELS)[number];

export type Completeness =
  | { readonly level: 'complete' }
  | { readonly level: Exclude<CompletenessLevel, 'complete'>; readonly reason: IncompletenessReason };

export const COMPLETE: Completeness = Object.freeze({ level: 'complete' });
export const PARTIAL: Completeness = Object.freeze({ level: 'partial', reason: 'bad-reply' });

/** What a query comes back with: the response body, and how complete it is. */
export interface Answer<Body> {
  readonly body: Body;
  readonly completeness: Completeness;
}
