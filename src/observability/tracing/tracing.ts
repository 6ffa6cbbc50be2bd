import { diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { TraceContext } from './trace-context';

export const SERVICE_NAME = 'shipping-query-service';
const FLUSH_MS = 2000;

let installed: Tracing | undefined;

/** The tracing of this process; `undefined` unless it was preloaded. */
export function tracing(): Tracing | undefined {
  return installed;
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

  /** @param settled gets the span, which the caller ends when it has read the response and knows what was wrong with it */
  async inClientSpan<T>(
    name: string,
    attributes: Attributes,
    call: (span: Span) => Promise<T>,
    errorType: (error: unknown) => string,
    settled: (span: Span) => void,
  ): Promise<T> {
    const span = this.tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
    try {
      return await call(span);
    } catch (error) {
      failSpan(span, errorType(error));
      throw error;
    } finally {
      settled(span);
    }
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
