import { ProxyTracer, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { randomUUID } from 'node:crypto';
import { hasSubscribers } from 'node:diagnostics_channel';

export const SERVICE_NAME = 'shipping-query-service';
const FLUSH_MS = 2000;

/**
 * Whether an OpenTelemetry SDK or agent other than `preload.ts` is registered (D79): the service then makes no spans.
 */
export function isTracedByOthers(): boolean {
  // Until an SDK is registered, the API has tracers of its own.
  return Tracing.installed === undefined && !(trace.getTracer(SERVICE_NAME) instanceof ProxyTracer);
}

/**
 * Whether the service sends a `traceparent` of its own: not where another OpenTelemetry SDK or an agent of a vendor
 * adds one, because two of them would go out (D79). An agent that was loaded before the service is known by its
 * subscription to the channel on which undici announces each new request.
 */
export function sendsTraceparent(): boolean {
  return !isTracedByOthers() && !hasSubscribers('undici:request:create');
}

/**
 * Makes spans by the semantic conventions of OpenTelemetry. They contain nothing that a client sent, such as parameters
 * or header fields, except the trace that its `traceparent` names (D79).
 */
export class Tracing {
  /** The tracing of this process; `preload.ts` sets it before the application is created. */
  static installed: Tracing | undefined;

  private readonly tracer = trace.getTracer(SERVICE_NAME);

  constructor(private readonly stop: () => Promise<void>) {}

  startRequest(method: string, route: string | undefined, { traceId, parentId, flags }: TraceContext): Span {
    // A request without a valid `traceparent` has no parent id: OpenTelemetry takes this context for invalid, and
    // begins a new trace.
    const parent = { traceId, spanId: parentId ?? '', traceFlags: flags, isRemote: true };
    const attributes = { 'http.request.method': method, 'http.route': route, 'url.path': route, 'url.scheme': 'http' };
    const name = route === undefined ? method : `${method} ${route}`;
    const context = trace.setSpanContext(ROOT_CONTEXT, parent);
    return this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
  }

  /**
   * The span shows the template of the path, such as `/shippings/by-id/{id}`, and no query: values that a client sent
   * are not exported (D79).
   */
  startCall(baseUrl: URL, template: string, operation: string): Span {
    const path = baseUrl.pathname.replace(/\/+$/, '') + template;
    const attributes = {
      'http.request.method': 'GET',
      'url.template': path,
      'server.address': baseUrl.hostname,
      'server.port': Number(baseUrl.port || (baseUrl.protocol === 'https:' ? 443 : 80)),
      'url.full': baseUrl.origin + path,
      'shipping.operation': operation,
    };
    return this.tracer.startSpan(`GET ${path}`, { kind: SpanKind.CLIENT, attributes });
  }

  /** Exports the remaining spans, within 2 seconds. */
  async shutdown(): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
    await Promise.race([this.stop().catch(() => undefined), timeout]);
  }
}

export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Ends the span of a request.
 *
 * @param cause why there was no usable response (D81)
 */
export function endSpan(span: Span, status: number, completeness: string | undefined, cause?: string): void {
  span.setAttribute('http.response.status_code', status);
  span.setAttributes({ 'shipping.completeness': completeness, 'shipping.failure.cause': cause });
  if (status >= 500) failSpan(span, String(status));
  span.end();
}

/**
 * A valid `traceparent` by the rules of W3C: version, trace id, parent id, flags, and what versions after 00 may add,
 * so that one of version 00 has no more than 55 characters. No id is zero, and `ff` is no version.
 */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The position of a request in its trace (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** 1 where the trace is sampled, so that its spans are exported; no other bit is read. */
  readonly flags: number;
}

export function traceOfSpan(span: Span, parentId?: string): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, parentId, flags: traceFlags & 1 };
}

/**
 * Continues the trace of a valid `traceparent`, or starts one.
 *
 * @param random the UUID of which new ids are made
 */
export function continueTrace(incoming: string | string[] | undefined, random: string = randomUUID()): TraceContext {
  // The 32 hexadecimal digits of a UUID are a trace id, the last 16 of them a span id. Both are joined anew, because V8
  // serialises a slice of a text as slowly as a text that was made by `+` (see `requestIdOf`).
  const groups = random.split('-');
  const spanId = groups.slice(3).join('');
  const [, traceId = groups.join(''), parentId, flags = '00'] = TRACEPARENT.exec(String(incoming ?? '')) ?? [];
  return { traceId, spanId, parentId, flags: parseInt(flags, 16) & 1 };
}

/**
 * A `traceparent`. Its parts are joined and not concatenated, because V8 would keep the parts of a concatenated text in
 * memory for as long as the upstream request waits.
 */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return ['00', traceId, spanId, flags === 1 ? '01' : '00'].join('-');
}
