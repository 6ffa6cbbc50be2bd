import { Logger } from '@nestjs/common';
import * as fc from 'fast-check';

declare global {
  /** With how many examples each property is tested; set by the configuration of Jest. */
  var propertyRuns: number;
  /** Whether the search for a smaller failing example is left out; set for the mutation test, which needs none. */
  var endOnFailure: boolean | undefined;
}

fc.configureGlobal({
  numRuns: globalThis.propertyRuns,
  endOnFailure: globalThis.endOnFailure,
  // The search for a smaller failing example may never end. The plugin that replaces the two cannot be set globally.
  /* eslint-disable @typescript-eslint/no-deprecated */
  interruptAfterTimeLimit: 60_000,
  markInterruptAsFailure: true,
  /* eslint-enable @typescript-eslint/no-deprecated */
});

// The log of classes that are tested without an application would stand between the results.
Logger.overrideLogger(false);

// Nest's testing module loads Express wherever it is installed; no suite uses it.
jest.mock('@nestjs/platform-express', () => ({}));
