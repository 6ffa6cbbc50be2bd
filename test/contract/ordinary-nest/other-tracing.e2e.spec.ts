import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { useStart } from '../../support/service';
import { TRACE } from '../../support/spans';

const start = useStart();

it('D79 beside an agent of a vendor, which instruments undici, no traceparent goes out', async () => {
  const agent = jest.fn();
  subscribe('undici:request:create', agent);
  const { service, upstream } = await start();
  await service.request('GetShippingDetails', { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
  unsubscribe('undici:request:create', agent);
  expect(agent).toHaveBeenCalledTimes(1);
  expect(upstream.calls.map(({ headers }) => headers.traceparent)).toEqual([undefined]);
  expect(service.requestLog.at(-1)?.trace_id).toBe(TRACE);
});

it('D79 beside another SDK, no traceparent goes out, and the log has its trace', async () => {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  const { service, upstream } = await start();
  const server = service.app.getHttpServer();
  const emit = server.emit.bind(server) as (event: string, ...values: unknown[]) => boolean;
  // As an instrumentation of HTTP runs each request in a span.
  Object.assign(server, {
    emit: (event: string, ...values: unknown[]) => {
      if (event !== 'request') return emit(event, ...values);
      const span = trace.getTracer('http').startSpan('GET');
      const emitted = context.with(trace.setSpan(context.active(), span), () => emit(event, ...values));
      span.end();
      return emitted;
    },
  });
  await service.request('GetShippingDetails');
  expect(upstream.calls[0]?.headers).not.toHaveProperty('traceparent');
  const [{ traceId } = {}] = exporter.getFinishedSpans().map((span) => span.spanContext());
  expect(service.requestLog.at(-1)?.trace_id).toBe(traceId);
});
