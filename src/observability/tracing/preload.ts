// Starts OpenTelemetry by the standard `OTEL_…` variables, where this file is preloaded:
// node --require shipping-query-service/tracing dist/main.js, here and in an application that has installed the package
import '../../config/node-version';
import { Logger } from '@nestjs/common';
import { diag, type DiagLogger, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import * as resources from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { allowManyLookups, sharedLookup } from '../../common/name-lookup';
import { isTracedByOthers, SERVICE_NAME, Tracing } from './tracing';

function start(): void {
  const { env } = process;
  // The detectors read files, which starts the threads of libuv.
  allowManyLookups();
  // With this variable, OpenTelemetry would write plain text to standard output, between log lines that are JSON.
  delete env.OTEL_LOG_LEVEL;
  if (env.OTEL_TRACES_EXPORTER === 'none' || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return;
  // Where another OpenTelemetry SDK is registered already, it makes the spans of all requests (D79): the service would
  // only make a second span of each.
  if (isTracedByOthers()) return;
  const detectors = [resources.envDetector, resources.hostDetector, resources.serviceInstanceIdDetector];
  const named = resources.resourceFromAttributes({ 'service.name': SERVICE_NAME });
  const resource = resources.defaultResource().merge(named).merge(resources.detectResources({ detectors }));
  const exporter = new OTLPTraceExporter({ httpAgentOptions: { lookup: sharedLookup } });
  const provider = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  // No propagator: it would send on `tracestate` and `baggage`, in which clients may have put data of theirs (D22).
  provider.register({ propagator: null });
  // Problems of OpenTelemetry itself, such as a collector that is down.
  diag.setLogger(new Logger('OpenTelemetry') as Partial<DiagLogger> as DiagLogger, DiagLogLevel.WARN);
  Tracing.installed = new Tracing(() => provider.shutdown());
}

start();
