import {
  diag,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
} from '@opentelemetry/api';
import { subscribe } from 'node:diagnostics_channel';
import type { Logger } from 'pino';
import { traceparentOf, type TraceContext } from './trace-context';

export const SERVICE_NAME = 'shipping-query-service';
const FLUSH_MS = 2000;

let installed: Tracing | undefined;

/** The tracing of this process; `undefined` unless it was preloaded. */
export function tracing(): Tracing | undefined {
  return installed;
}

/** Whether the SDK or agent of somebody else is registered (D79): its spans are then those of the service. */
export function isTracedByOthers(): boolean {
  const provider = trace.getTracerProvider();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- this version of the API has no other way to ask
  const unset = new ProxyTracerProvider();
  const isUnset = 'getDelegate' in provider && (provider as typeof unset).getDelegate() === unset.getDelegate();
  return installed === undefined && !isUnset;
}

/**
 * Where somebody else traces, an instrumentation of undici adds the `traceparent` of its own span to each request. Call it
 * after theirs has started: to requests to `origin` that have none, the active span's is added.
 */
export function completeTraceparents(origin: string): void {
  subscribe('undici:request:create', (message) => {
    const { request } = message as { request: CreatedRequest };
    const span = trace.getActiveSpan();
    if (String(request.origin) !== origin || span === undefined) return;
    if (request.headers.some((name) => String(name).toLowerCase() === 'traceparent')) return;
    request.addHeader('traceparent', traceparentOf(traceOfSpan(span)));
  });
}

/** What undici documents of a request at its diagnostics channel. */
interface CreatedRequest {
  readonly origin?: string | URL;
  readonly headers: readonly unknown[];
  addHeader(name: string, value: string): void;
}

/** Call before the application is created; `undefined` removes the tracing. */
export function installTracing(tracing: Tracing | undefined): void {
  installed = tracing;
}

/** OpenTelemetry spans by its semantic conventions, with no value of a client except its trace. */
export class Tracing {
  private readonly tracer = trace.getTracer(SERVICE_NAME);

  constructor(private readonly stop: () => Promise<void>) {}

  startRequest(method: string, route: string | undefined, { traceId, parentId, flags }: TraceContext): Span {
    // Without a parent the context is invalid, and the span begins a trace.
    const parent = { traceId, spanId: parentId ?? '', traceFlags: Number(flags), isRemote: true };
    const attributes = { 'http.request.method': method, 'http.route': route, 'url.path': route, 'url.scheme': 'http' };
    const name = route === undefined ? method : `${method} ${route}`;
    const context = trace.setSpanContext(ROOT_CONTEXT, parent);
    return this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
  }

  /** @param path the template of the path, without values */
  startCall(path: string, attributes: Attributes): Span {
    const common = { 'http.request.method': 'GET', 'url.template': path };
    return this.tracer.startSpan(`GET ${path}`, { kind: SpanKind.CLIENT, attributes: { ...common, ...attributes } });
  }

  /** Logs problems of OpenTelemetry itself. */
  reportTo(logger: Logger): void {
    const warn = (text: string): void => {
      logger.warn({ context: 'OpenTelemetry' }, text);
    };
    const ignore = (): void => undefined;
    const options = { suppressOverrideMessage: true };
    diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, options);
  }

  /** Exports the remaining spans, within 2 seconds. */
  async shutdown(): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
    await Promise.race([this.stop().catch(() => undefined), timeout]);
  }
}

/** Why there was no usable response (D81). */
export const CAUSE_ATTRIBUTE = 'shipping.failure.cause';

export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

export function traceOfSpan(span: Span, parentId?: string): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, parentId, flags: (traceFlags & 1) === 0 ? '00' : '01' };
}
