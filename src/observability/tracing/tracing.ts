import type { Tracing } from './open-telemetry';

let installed: Tracing | undefined;

/** The tracing of this process; `undefined` unless it was preloaded, so that the SDK is not loaded otherwise. */
export function tracing(): Tracing | undefined {
  return installed;
}

/** Call before the application is created; `undefined` removes the tracing. */
export function installTracing(tracing: Tracing | undefined): void {
  installed = tracing;
}
