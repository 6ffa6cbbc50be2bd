import type { Ratios } from './rounds';

/** A bound that a figure is held to. */
export interface Check {
  readonly what: string;
  readonly measured: number;
  readonly bound: number;
  readonly sense: 'at least' | 'at most';
  readonly met: boolean;
}

/** The least that ratios may be, and the most memory; what is missing is not checked. */
export interface Bounds {
  readonly page10: Ratios;
  readonly page100: Ratios;
  readonly circuitOpenTimesHealthy: number;
  readonly residentMiBAt32?: number;
}

/** What a full run has to reach on one core. */
export const TARGETS = {
  page10: { 'hand-written': 0.75, 'with libraries': 1.5, 'stock Nest': 4 },
  page100: { 'hand-written': 1, 'with libraries': 2, 'stock Nest': 2.2 },
  byId: { 'hand-written': 0.65 },
  circuitOpenTimesHealthy: 1.5,
  rateAt512OfThatAt32: 0.85,
  saturatedAt512: 0,
  tailTimesHandWritten: 2,
  readyMs: 800,
  residentMiBAt32: 120,
  residentMiBAt512: 160,
} as const satisfies Bounds & Record<string, unknown>;

/**
 * What a short run may not fall below, twice in a row. On a shared machine of two cores, runs differed by up to 25 %; the
 * floors lie 30 to 40 % below what is usual, so that nothing but a gross loss breaks them.
 */
export const FLOORS: Bounds = {
  page10: { 'hand-written': 0.3 },
  page100: { 'hand-written': 0.5 },
  circuitOpenTimesHealthy: 1.2,
};

export function atLeast(bound: number, measured: number, what: string): Check {
  return { what, measured, bound, sense: 'at least', met: measured >= bound };
}

export function atMost(bound: number, measured: number, what: string): Check {
  return { what, measured, bound, sense: 'at most', met: measured <= bound };
}
