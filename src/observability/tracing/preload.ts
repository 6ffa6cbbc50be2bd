/**
 * Starts OpenTelemetry where it is required before the service: `node --require ./dist/observability/tracing/preload.js dist/main.js`.
 * What it exports, where to and how much is read from the standard `OTEL_…` variables.
 */
import { isSpanContextValid, trace } from '@opentelemetry/api';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import { join } from 'node:path';
import { Tracing } from './open-telemetry';
import { installTracing } from './tracing';

const SERVICE_NAME = 'shipping-query-service';

function start(): void {
  // With this variable OpenTelemetry writes plain text among the log lines; warnings are logged instead.
  delete process.env.OTEL_LOG_LEVEL;
  const { defaultResource, resourceFromAttributes } = resources;
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': SERVICE_NAME })),
    resourceDetectors: [resources.envDetector, resources.hostDetector, resources.serviceInstanceIdDetector],
    // Prometheus scrapes the metrics, and pino writes the log.
    metricReaders: [],
    logRecordProcessors: [],
    // The service reads and writes `traceparent` itself; other propagated headers could carry data of clients.
    textMapPropagator: null,
  });
  sdk.start();
  if (exportsSpans()) installTracing(new Tracing(() => sdk.shutdown()));
}

/** `false` with `OTEL_SDK_DISABLED` or `OTEL_TRACES_EXPORTER=none`. */
function exportsSpans(): boolean {
  return isSpanContextValid(trace.getTracer(SERVICE_NAME).startSpan('probe').spanContext());
}

// With `NODE_OPTIONS` the process of a sandbox that runs alone requires this file too.
if (process.argv[1]?.startsWith(join(__dirname, '../../sandbox/')) !== true) start();
