import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { installTracing, Tracing } from '../../src/observability/tracing/tracing';

/** What services that start during a suite trace: its finished spans. */
export function useSpans(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  beforeAll(() => {
    provider.register({ propagator: null });
    installTracing(new Tracing(() => provider.shutdown()));
  });
  afterAll(async () => {
    installTracing(undefined);
    await provider.shutdown();
    // OpenTelemetry keeps the first provider that is registered, and the next suite of the file has its own.
    trace.disable();
    context.disable();
  });
  return exporter;
}
