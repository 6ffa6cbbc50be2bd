import * as fc from 'fast-check';

declare global {
  /** With how many examples each property is tested; set by the configuration of Jest. */
  var propertyRuns: number;
  /**
   * Whether a failing example is reported as it is, without the search for a smaller one; set by the configuration of
   * Jest.
   */
  var endOnFailure: boolean | undefined;
}

fc.configureGlobal({ numRuns: globalThis.propertyRuns, endOnFailure: globalThis.endOnFailure });
