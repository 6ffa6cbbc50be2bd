/**
 * Starts OpenTelemetry where it is required before the service: `node --require ./dist/observability/tracing/preload.js dist/main.js`.
 * What it exports, where to and how much is read from the standard `OTEL_…` variables.
 */
import { OTLPTraceExporter as OtlpOverJson } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as OtlpOverProtobuf } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { join } from 'node:path';
import { SettingsError } from '../../config/setting-definition';
import { Tracing } from './open-telemetry';
import { installTracing } from './tracing';

/** A variable; empty ones count as absent. */
function variable(name: string): string | undefined {
  const value = process.env[name]?.trim();
  return value === '' ? undefined : value;
}

function start(): void {
  // With this variable OpenTelemetry writes plain text among the log lines; warnings are logged instead.
  delete process.env.OTEL_LOG_LEVEL;
  if (variable('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return;
  const spanProcessors = spanProcessorsOf(variable('OTEL_TRACES_EXPORTER') ?? 'otlp');
  if (spanProcessors.length === 0) return;
  const named = defaultResource().merge(resourceFromAttributes({ 'service.name': 'shipping-query-service' }));
  const detected = detectResources({ detectors: [envDetector, hostDetector, serviceInstanceIdDetector] });
  const provider = new NodeTracerProvider({ resource: named.merge(detected), spanProcessors });
  // The service reads and writes `traceparent` itself; other propagated headers could carry data of clients.
  provider.register({ propagator: null });
  installTracing(new Tracing(() => provider.shutdown()));
}

/** @throws SettingsError where the service has no such exporter */
function spanProcessorsOf(exporters: string): SpanProcessor[] {
  const names = [...new Set(exporters.split(',').map((name) => name.trim()))].filter(
    (name) => !['', 'none'].includes(name),
  );
  return names.map((name) => {
    if (name === 'console') return new SimpleSpanProcessor(new ConsoleSpanExporter());
    if (name !== 'otlp') throw new SettingsError(['OTEL_TRACES_EXPORTER must be otlp, console or none']);
    return new BatchSpanProcessor(otlpExporter());
  });
}

/** @throws SettingsError where the service has no such protocol */
function otlpExporter(): OtlpOverJson | OtlpOverProtobuf {
  const protocol = variable('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? variable('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol === undefined || protocol === 'http/protobuf') return new OtlpOverProtobuf();
  if (protocol === 'http/json') return new OtlpOverJson();
  throw new SettingsError(['OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json']);
}

// With `NODE_OPTIONS` the process of a sandbox that runs alone requires this file too.
if (process.argv[1]?.startsWith(join(__dirname, '../../sandbox/')) !== true) {
  try {
    start();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
