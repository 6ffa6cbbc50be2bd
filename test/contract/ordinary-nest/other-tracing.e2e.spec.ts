import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ScriptedService, useStart } from '../../support/service';

/** What an instrumentation of undici does to each request: a span of its own, and its `traceparent`. */
function instrumented(message: unknown): void {
  const { request } = message as { request: { addHeader: (name: string, value: string) => void } };
  const span = trace.getTracer('undici').startSpan('GET');
  const { traceId, spanId } = span.spanContext();
  request.addHeader('traceparent', `00-${traceId}-${spanId}-01`);
  span.end();
}

const exporter = new InMemorySpanExporter();
let scripted: ScriptedService;

beforeAll(() => {
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
});
const startService = useStart();

/** Starts the service, whose requests an instrumentation of HTTP runs in a span. */
async function start(): Promise<void> {
  scripted = await startService();
  const server = scripted.service.app.getHttpServer();
  const emit = server.emit.bind(server) as (event: string, ...values: unknown[]) => boolean;
  Object.assign(server, {
    emit: (event: string, ...values: unknown[]) => {
      if (event !== 'request') return emit(event, ...values);
      const span = trace.getTracer('http').startSpan('GET');
      const emitted = context.with(trace.setSpan(context.active(), span), () => emit(event, ...values));
      span.end();
      return emitted;
    },
  });
}

it('D79 beside an instrumentation of undici, its traceparent goes out, and the log has its trace', async () => {
  subscribe('undici:request:create', instrumented);
  await start();
  exporter.reset();
  await scripted.service.request('GetShippingDetails');
  unsubscribe('undici:request:create', instrumented);
  const [call] = scripted.upstream.calls;
  const sent = String(call?.headers.traceparent);
  expect(sent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const traceId = sent.split('-')[1];
  expect(scripted.service.requestLog.at(-1)?.trace_id).toBe(traceId);
  const exported = exporter.getFinishedSpans().map((span) => span.spanContext().traceId);
  expect(new Set(exported)).toEqual(new Set([traceId]));
});

it('D79 beside another SDK that does not trace undici, no traceparent goes out', async () => {
  await start();
  await scripted.service.request('GetShippingDetails');
  expect(scripted.upstream.calls[0]?.headers).not.toHaveProperty('traceparent');
});
