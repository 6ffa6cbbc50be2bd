/**
 * Starts OpenTelemetry where it is required before the service: `node --require ./dist/telemetry/preload.js dist/main.js`.
 * What it exports, where to and how much is read from the standard `OTEL_…` variables.
 */
import { isSpanContextValid, trace } from '@opentelemetry/api';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import { join } from 'node:path';
import { Tracing } from './open-telemetry';
import { installTracing } from './tracing';

const SERVICE_NAME = 'shipping-query-service';

function start(): void {
  // It would have plain text written among the log lines; warnings go to the log.
  delete process.env.OTEL_LOG_LEVEL;
  const { defaultResource, resourceFromAttributes } = resources;
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': SERVICE_NAME })),
    resourceDetectors: [resources.envDetector, resources.hostDetector, resources.serviceInstanceIdDetector],
    // Figures are scraped and lines are written already.
    metricReaders: [],
    logRecordProcessors: [],
    // The service reads and writes `traceparent` itself, and nothing else that could carry a client's data.
    textMapPropagator: null,
  });
  sdk.start();
  if (exportsSpans()) installTracing(new Tracing(() => sdk.shutdown()));
}

/** Not where `OTEL_SDK_DISABLED` or `OTEL_TRACES_EXPORTER=none` say otherwise. */
function exportsSpans(): boolean {
  return isSpanContextValid(trace.getTracer(SERVICE_NAME).startSpan('probe').spanContext());
}

// With `NODE_OPTIONS` the embedded sandbox, a process of its own, requires this file as well.
if (process.argv[1]?.startsWith(join(__dirname, '../sandbox/')) !== true) start();
