/* Starts OpenTelemetry by the standard `OTEL_…` variables: `node --require ./dist/observability/tracing/preload.js dist/main.js`. */
import { OTLPTraceExporter as OtlpOverJson } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as OtlpOverProtobuf } from '@opentelemetry/exporter-trace-otlp-proto';
import * as resources from '@opentelemetry/resources';
import * as sdk from '@opentelemetry/sdk-trace-node';
import { installTracing, Tracing } from './tracing';

const PROTOCOLS = new Map<string, () => sdk.SpanExporter>([
  ['http/protobuf', () => new OtlpOverProtobuf()],
  ['http/json', () => new OtlpOverJson()],
]);
const EXPORTERS = new Map<string, () => sdk.SpanProcessor | undefined>([
  ['otlp', () => new sdk.BatchSpanProcessor(chosen(PROTOCOLS, 'OTEL_EXPORTER_OTLP_PROTOCOL'))],
  ['console', () => new sdk.SimpleSpanProcessor(new sdk.ConsoleSpanExporter())],
  ['none', () => undefined],
]);

/** The default is the first choice; any other value ends the process. */
function chosen<T>(choices: ReadonlyMap<string, () => T>, variable: string): T {
  const names = [...choices.keys()];
  const value = process.env[variable]?.trim() ?? '';
  const create = choices.get(value === '' ? String(names[0]) : value);
  if (create !== undefined) return create();
  process.stderr.write(`Bad settings:\n  - ${variable} must be one of ${names.join(', ')}\n`);
  process.exit(1);
}

function start(): void {
  const { env } = process;
  // It would write plain text among the log lines.
  delete env.OTEL_LOG_LEVEL;
  env.OTEL_EXPORTER_OTLP_PROTOCOL = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? '';
  const spanProcessor = chosen(EXPORTERS, 'OTEL_TRACES_EXPORTER');
  if (spanProcessor === undefined || env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return;
  const { envDetector, hostDetector, serviceInstanceIdDetector } = resources;
  const named = resources.resourceFromAttributes({ 'service.name': 'shipping-query-service' });
  const detected = resources.detectResources({ detectors: [envDetector, hostDetector, serviceInstanceIdDetector] });
  const resource = resources.defaultResource().merge(named).merge(detected);
  const provider = new sdk.NodeTracerProvider({ resource, spanProcessors: [spanProcessor] });
  // Propagated headers could carry data of clients.
  provider.register({ propagator: null });
  installTracing(new Tracing(() => provider.shutdown()));
}

start();
