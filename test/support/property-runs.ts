import * as fc from 'fast-check';

declare global {
  /** How many examples each property is tried with; set by the configuration of Jest. */
  var propertyRuns: number;
  /** Whether a failing example is reported as it is, instead of the smallest one. */
  var endOnFailure: boolean | undefined;
}

fc.configureGlobal({ numRuns: globalThis.propertyRuns, endOnFailure: globalThis.endOnFailure });
