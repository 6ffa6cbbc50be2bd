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
import type { AnsweredRequest } from '../http/request-log';
import { traceparentOf, type TraceContext } from '../http/trace-context';
import type { Answer, Completeness } from '../shipping/model/completeness';
import { outcomeOf } from './outcome';

/** Where calls go, as spans tell it: a template stands for their path, and nothing for their parameters. */
export interface CallTarget {
  readonly operation: string;
  /** Of the external system. */
  readonly baseUrl: URL;
  /** Path below the base URL, such as `/shippings/by-id/{id}`. */
  readonly template: string;
}

/** How long the process waits for its last spans to be taken, in milliseconds. */
const FLUSH_MS = 2000;

/**
 * Spans of OpenTelemetry for requests, queries and external calls, in the terms of its semantic conventions.
 *
 * Nothing that a client sent becomes part of a span but its trace: paths are templates, and there are no query strings,
 * headers, addresses or messages of errors. A span finds its parent in the context that is active.
 */
export class Tracing {
  private readonly tracer = trace.getTracer('shipping-query-service');

  /** @param stop sends what is left and stops */
  constructor(private readonly stop: () => Promise<void>) {}

  /** Starts the span of a request; `route` is the template of its path. */
  startRequest(method: string, route: string | undefined, caller: TraceContext): RequestSpan {
    const parent = caller.parentId === undefined ? ROOT_CONTEXT : remoteContext(caller, caller.parentId);
    const attributes: Attributes = { 'http.request.method': method, 'url.scheme': 'http' };
    if (route !== undefined) {
      attributes['http.route'] = route;
      attributes['url.path'] = route;
    }
    const name = route === undefined ? method : `${method} ${route}`;
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    return new RequestSpan(span, trace.setSpan(parent, span), caller.parentId);
  }

  /** Runs a query within a span. What is answered with a client error, such as 404, is no failure of it. */
  query<Body>(name: string, ask: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
    return this.tracer.startActiveSpan(name, { attributes: { 'shipping.query': name } }, async (span) => {
      try {
        const answer = await ask();
        span.setAttributes(completenessOf(answer.completeness));
        return answer;
      } catch (error) {
        if (!isClientError(error)) fail(span, outcomeOf(error));
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** Runs one attempt at the external system within a span, and hands it what to send and where to note the status. */
  async call<T>(
    { operation, baseUrl, template }: CallTarget,
    resends: number,
    send: (traceparent: string, noteStatus: (status: number) => void) => Promise<T>,
    outcome: (error: unknown) => string,
  ): Promise<T> {
    const path = baseUrl.pathname.replace(/\/+$/, '') + template;
    const attributes: Attributes = {
      'http.request.method': 'GET',
      'server.address': baseUrl.hostname,
      'server.port': Number(baseUrl.port || (baseUrl.protocol === 'https:' ? 443 : 80)),
      'url.full': baseUrl.origin + path,
      'url.template': path,
      'shipping.operation': operation,
    };
    if (resends > 0) attributes['http.request.resend_count'] = resends;
    const span = this.tracer.startSpan(`GET ${path}`, { kind: SpanKind.CLIENT, attributes });
    try {
      return await send(traceparentOf(traceContextOf(span, undefined)), (status) => {
        span.setAttribute('http.response.status_code', status);
      });
    } catch (error) {
      fail(span, outcome(error));
      throw error;
    } finally {
      span.end();
    }
  }

  /** Has the troubles of OpenTelemetry itself, such as a collector that cannot be reached, written to the log. */
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

  /** Sends what is left, as far as it is taken in time. */
  async shutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_MS);
    });
    await Promise.race([this.stop().catch(() => undefined), late]);
    clearTimeout(timer);
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

  /** Runs what belongs to the request. */
  run(work: () => void): void {
    context.with(this.active, work);
  }

  end({ status, completeness }: Pick<AnsweredRequest, 'status' | 'completeness'>): void {
    this.span.setAttribute('http.response.status_code', status);
    if (completeness !== undefined) {
      const [level = '', reason] = completeness.split(';reason=');
      this.span.setAttributes(completenessOf({ level, reason }));
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

function completenessOf(completeness: Completeness | { level: string; reason?: string }): Attributes {
  const reason = 'reason' in completeness ? completeness.reason : undefined;
  return { 'shipping.completeness': completeness.level, 'shipping.completeness.reason': reason };
}

function isClientError(error: unknown): boolean {
  const { getStatus } = error as { getStatus?: () => number };
  return typeof getStatus === 'function' && getStatus.call(error) < 500;
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** OpenTelemetry tells errors as JSON with their stack, and with the body of a collector's answer. */
function summaryOf(text: string): string {
  try {
    const { name, code, message } = JSON.parse(text) as Record<string, string | undefined>;
    return [name, code, message].filter((part) => part !== undefined).join(' ');
  } catch {
    return text;
  }
}
