import {
  context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { TraceContext } from './trace-context';

export type { Attributes };

/** How long the process waits for the export of its last spans, in milliseconds. */
const FLUSH_MS = 2000;

/**
 * OpenTelemetry spans, in the terms of its semantic conventions.
 *
 * No value of a client becomes part of a span except its trace: paths are templates, and query strings, headers,
 * addresses and error messages are left out. A span finds its parent in the active context.
 */
export class Tracing {
  private readonly tracer = trace.getTracer('shipping-query-service');

  /** @param stop exports the remaining spans and stops */
  constructor(private readonly stop: () => Promise<void>) {}

  /** Starts the span of a request; `route` is the template of its path. */
  startRequest(method: string, route: string | undefined, incoming: TraceContext): RequestSpan {
    const parent = incoming.parentId === undefined ? ROOT_CONTEXT : remoteContext(incoming, incoming.parentId);
    const attributes: Attributes = { 'http.request.method': method, 'url.scheme': 'http' };
    if (route !== undefined) {
      attributes['http.route'] = route;
      attributes['url.path'] = route;
    }
    const name = route === undefined ? method : `${method} ${route}`;
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    return new RequestSpan(span, trace.setSpan(parent, span), incoming.parentId);
  }

  /**
   * Runs work within a span that is active meanwhile.
   *
   * @param errorType the type of an error; `undefined` where it is no failure of the work
   */
  inSpan<T>(
    name: string,
    kind: 'INTERNAL' | 'CLIENT',
    attributes: Attributes,
    work: (span: ActiveSpan) => Promise<T>,
    errorType: (error: unknown) => string | undefined,
  ): Promise<T> {
    return this.tracer.startActiveSpan(name, { kind: SpanKind[kind], attributes }, async (span) => {
      try {
        return await work(new ActiveSpan(span));
      } catch (error) {
        const type = errorType(error);
        if (type !== undefined) fail(span, type);
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** Logs problems of OpenTelemetry itself, such as an unavailable collector. */
  reportTo(logger: Logger): void {
    const warn = (text: string): void => {
      logger.warn({ context: 'OpenTelemetry' }, summaryOf(text));
    };
    const ignore = (): void => undefined;
    diag.setLogger(
      { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
  }

  /** Exports the remaining spans, as far as the time allows. */
  async shutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_MS);
    });
    await Promise.race([this.stop().catch(() => undefined), timeout]);
    clearTimeout(timer);
  }
}

/** A span whose work is running. */
export class ActiveSpan {
  constructor(private readonly span: Span) {}

  get trace(): TraceContext {
    return traceContextOf(this.span, undefined);
  }

  setAttributes(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  /** Marks the span as failed, although its work succeeds. */
  fail(type: string): void {
    fail(this.span, type);
  }
}

/** The span of one request. */
export class RequestSpan {
  constructor(
    private readonly span: Span,
    private readonly active: Context,
    private readonly parentId: string | undefined,
  ) {}

  get trace(): TraceContext {
    return traceContextOf(this.span, this.parentId);
  }

  /** Runs the rest of the request in the context of the span. */
  run(work: () => void): void {
    context.with(this.active, work);
  }

  end({ status, completeness }: { readonly status: number; readonly completeness: string | undefined }): void {
    this.span.setAttribute('http.response.status_code', status);
    if (completeness !== undefined) {
      const [level = '', reason] = completeness.split(';reason=');
      this.span.setAttributes({ 'shipping.completeness': level, 'shipping.completeness.reason': reason });
    }
    if (status >= 500) fail(this.span, String(status));
    this.span.end();
  }
}

function traceContextOf(span: Span, parentId: string | undefined): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, parentId, flags: (traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01' };
}

function remoteContext({ traceId, flags }: TraceContext, spanId: string): Context {
  const traceFlags = parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** OpenTelemetry reports errors as JSON with their stack and the response body of the collector. */
function summaryOf(text: string): string {
  try {
    const { name, code, message } = JSON.parse(text) as Record<string, string | undefined>;
    return [name, code, message].filter((part) => part !== undefined).join(' ');
  } catch {
    return text;
  }
}
