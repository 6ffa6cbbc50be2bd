import { setImmediate as nextTurn } from 'node:timers/promises';
import { traceparentOf } from '../../../observability/tracing/trace-context';
import { failSpan, traceOfSpan, tracing, type Tracing } from '../../../observability/tracing/tracing';
import type { Cancellation } from '../../../resilience/cancellation';
import { failedStatus, isSuccess } from '../../../resilience/http-failures';
import { outcomeOf } from '../../../resilience/upstream-failure';
import type { QueryContext } from '../../model/query-context';
import type { ExternalHttpClient } from '../transport/external-http-client';
import type { UpstreamResponse } from '../transport/upstream-response';
import type { ParameterValue, Send, UpstreamTarget } from './shipping-protocol';

/**
 * Sends the requests of one attempt, one after the other, because the slot of an attempt stands for one request at the
 * external system. Where tracing is preloaded, each has a client span by the semantic conventions of OpenTelemetry, which
 * shows the template of the path and no parameters.
 */
export class RequestSender {
  private last: Promise<UpstreamResponse> | undefined;

  /**
   * @param operation name of the upstream operation
   * @param resends attempts of the same call before this one
   */
  constructor(
    private readonly client: ExternalHttpClient,
    private readonly operation: string,
    private readonly context: QueryContext,
    private readonly cancellation: Cancellation,
    private readonly resends = 0,
  ) {}

  readonly send: Send = (target) => {
    this.last = this.last === undefined ? this.request(target) : this.requestAfter(this.last, target);
    // A protocol that has failed awaits it no more.
    this.last.catch(() => undefined);
    return this.last;
  };

  /** Waits until the protocol has read the response before, because an attempt that has failed sends nothing more. */
  private async requestAfter(previous: Promise<UpstreamResponse>, target: UpstreamTarget): Promise<UpstreamResponse> {
    await previous;
    await nextTurn();
    this.cancellation.throwIfCancelled();
    return this.request(target);
  }

  private request(target: UpstreamTarget): Promise<UpstreamResponse> {
    const traces = tracing();
    return traces === undefined ? this.get(target, this.context) : this.getInSpan(target, traces);
  }

  private get(target: UpstreamTarget, context: QueryContext): Promise<UpstreamResponse> {
    return this.client.get({
      path: encodedPath(target),
      operation: this.operation,
      context,
      cancellation: this.cancellation,
    });
  }

  private getInSpan(target: UpstreamTarget, traces: Tracing): Promise<UpstreamResponse> {
    const { baseUrl } = this.client;
    const path = baseUrl.pathname.replace(/\/+$/, '') + target.path;
    const attributes = {
      'http.request.method': 'GET',
      'server.address': baseUrl.hostname,
      'server.port': Number(baseUrl.port || (baseUrl.protocol === 'https:' ? 443 : 80)),
      'url.full': baseUrl.origin + path,
      'url.template': path,
      'shipping.operation': this.operation,
      'http.request.resend_count': this.resends > 0 ? this.resends : undefined,
    };
    return traces.inClientSpan(
      `GET ${path}`,
      attributes,
      async (span) => {
        const response = await this.get(target, { ...this.context, traceparent: traceparentOf(traceOfSpan(span)) });
        const { status } = response;
        span.setAttribute('http.response.status_code', status);
        // 404 may mean that no record matches.
        if (!isSuccess(status) && status !== 404) failSpan(span, failedStatus(status, undefined).reason);
        return response;
      },
      (error) => outcomeOf(this.cancellation.reason ?? error),
    );
  }
}

/** The path and query of a request below the base URL, values encoded. */
function encodedPath({ path, id, query = {} }: UpstreamTarget): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`);
  const filled = id === undefined ? path : path.replace('{id}', () => encodeURIComponent(id));
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

function textOf(value: ParameterValue): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
