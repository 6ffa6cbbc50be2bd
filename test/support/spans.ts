import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { Tracing } from '../../src/observability/tracing/tracing';

/** The trace of a client, whose span is the parent of what the service traces. */
export const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
export const PARENT = '00f067aa0ba902b7';
export const SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-01` };

/** What services that start during a suite trace: its finished spans. */
export function useSpans(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  beforeAll(() => {
    provider.register({ propagator: null });
    Tracing.installed = new Tracing(() => provider.shutdown());
  });
  afterAll(async () => {
    Tracing.installed = undefined;
    await provider.shutdown();
    // OpenTelemetry keeps the first provider that is registered, and the next suite of the file has its own.
    trace.disable();
    context.disable();
  });
  return exporter;
}
