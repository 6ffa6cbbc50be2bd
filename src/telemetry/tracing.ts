import type { Tracing } from './open-telemetry';

let installed: Tracing | undefined;

/** The tracing of this process; `undefined` unless it was preloaded, so that no SDK is loaded then. */
export function tracing(): Tracing | undefined {
  return installed;
}

/** To be called before the application is built; `undefined` takes it out again. */
export function installTracing(tracing: Tracing | undefined): void {
  installed = tracing;
}
