import { diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { TraceContext } from './trace-context';

/** How long the process waits for the export of its last spans, in milliseconds. */
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

/**
 * OpenTelemetry spans, in the terms of its semantic conventions. No value of a client becomes part of a span except its
 * trace: paths are templates, and query strings, headers, addresses and error messages are left out.
 */
export class Tracing {
  private readonly tracer = trace.getTracer('shipping-query-service');

  /** @param stop exports the remaining spans and stops */
  constructor(private readonly stop: () => Promise<void>) {}

  /** Starts the span of a request; `route` is the template of its path. */
  startRequest(method: string, route: string | undefined, { traceId, parentId, flags }: TraceContext): Span {
    const parent =
      parentId === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: Number(flags), isRemote: true });
    const attributes = { 'http.request.method': method, 'http.route': route, 'url.path': route, 'url.scheme': 'http' };
    const name = route === undefined ? method : `${method} ${route}`;
    return this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  }

  /** Makes a call within a span, a child of the active one. */
  async inClientSpan<T>(
    name: string,
    attributes: Attributes,
    call: (span: Span) => Promise<T>,
    errorType: (error: unknown) => string,
  ): Promise<T> {
    const span = this.tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
    try {
      return await call(span);
    } catch (error) {
      failSpan(span, errorType(error));
      throw error;
    } finally {
      span.end();
    }
  }

  /** Logs problems of OpenTelemetry itself, such as an unavailable collector. */
  reportTo(logger: Logger): void {
    const warn = (text: string): void => {
      logger.warn({ context: 'OpenTelemetry' }, text);
    };
    const ignore = (): void => undefined;
    const sink = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
    diag.setLogger(sink, { suppressOverrideMessage: true });
  }

  /** Exports the remaining spans, as far as the time allows. */
  async shutdown(): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
    await Promise.race([this.stop().catch(() => undefined), timeout]);
  }
}

/** Marks a span as failed. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** The position of a span in its trace. */
export function traceOfSpan(span: Span, parentId?: string): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, parentId, flags: (traceFlags & 1) === 0 ? '00' : '01' };
}
