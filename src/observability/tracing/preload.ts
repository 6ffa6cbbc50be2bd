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
import { installTracing, Tracing } from './tracing';

type Choices<T> = Readonly<Record<string, () => T>>;

const PROTOCOLS: Choices<OtlpOverJson | OtlpOverProtobuf> = {
  'http/protobuf': () => new OtlpOverProtobuf(),
  'http/json': () => new OtlpOverJson(),
};
const EXPORTERS: Choices<SpanProcessor[]> = {
  otlp: () => [
    new BatchSpanProcessor(chosen(PROTOCOLS, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL')),
  ],
  console: () => [new SimpleSpanProcessor(new ConsoleSpanExporter())],
  none: () => [],
};

/** What the first variable that is set chooses, by default the first choice. Where there is none, the process ends with 1. */
function chosen<T>(choices: Choices<T>, ...variables: string[]): T {
  const names = Object.keys(choices);
  const variable = variables.find((each) => process.env[each]?.trim());
  const name = variable === undefined ? names[0] : process.env[variable]?.trim();
  const create = Object.entries(choices).find(([each]) => each === name)?.[1];
  if (create !== undefined) return create();
  process.stderr.write(`Bad settings:\n  - ${variable ?? ''} must be one of ${names.join(', ')}\n`);
  process.exit(1);
}

function start(): void {
  // With this variable OpenTelemetry writes plain text among the log lines; warnings are logged instead.
  delete process.env.OTEL_LOG_LEVEL;
  const spanProcessors = chosen(EXPORTERS, 'OTEL_TRACES_EXPORTER');
  if (spanProcessors.length === 0 || process.env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return;
  const named = defaultResource().merge(resourceFromAttributes({ 'service.name': 'shipping-query-service' }));
  const detected = detectResources({ detectors: [envDetector, hostDetector, serviceInstanceIdDetector] });
  const provider = new NodeTracerProvider({ resource: named.merge(detected), spanProcessors });
  // The service reads and writes `traceparent` itself; other propagated headers could carry data of clients.
  provider.register({ propagator: null });
  installTracing(new Tracing(() => provider.shutdown()));
}

start();
