import * as fc from 'fast-check';

declare global {
  /** How many examples each property is tried with; set by the configuration of Jest. */
  var propertyRuns: number;
}

fc.configureGlobal({ numRuns: globalThis.propertyRuns });
