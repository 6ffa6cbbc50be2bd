/** A bound that a figure is held to. */
export interface Check {
  readonly what: string;
  readonly measured: number;
  readonly bound: number;
  readonly sense: 'at least' | 'at most';
  readonly met: boolean;
}

/** Bounds of the ratios; one that is missing is not checked. */
export interface Bounds {
  readonly page10: { readonly ofHandWritten: number; readonly timesStock?: number };
  readonly page100: { readonly ofHandWritten: number; readonly timesStock?: number };
  readonly circuitOpenTimesHealthy: number;
}

/** What a full run has to reach on one core. */
export const TARGETS = {
  page10: { ofHandWritten: 0.6, timesStock: 4 },
  page100: { ofHandWritten: 0.85, timesStock: 2.2 },
  circuitOpenTimesHealthy: 1.5,
  rateAt512OfThatAt32: 0.75,
  tailTimesHandWritten: 2,
  readyMs: 1500,
  residentMiB: 180,
} as const satisfies Bounds & Record<string, unknown>;

/**
 * What a short run may not fall below, twice in a row. On a shared machine of two cores, runs differed by up to 25 %; the
 * floors lie 30 to 40 % below what is usual, so that nothing but a gross loss breaks them.
 */
export const FLOORS: Bounds = {
  page10: { ofHandWritten: 0.4 },
  page100: { ofHandWritten: 0.6 },
  circuitOpenTimesHealthy: 1.2,
};

export function atLeast(bound: number, measured: number, what: string): Check {
  return { what, measured, bound, sense: 'at least', met: measured >= bound };
}

export function atMost(bound: number, measured: number, what: string): Check {
  return { what, measured, bound, sense: 'at most', met: measured <= bound };
}
