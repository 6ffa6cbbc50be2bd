import type { Cancellation } from '../../resilience/cancellation';
import { failedStatus, isSuccess } from '../../resilience/http-failures';
import { outcomeOf } from '../../resilience/outcome';
import type { Attributes, Tracing } from '../../observability/tracing/open-telemetry';
import { traceparentOf } from '../../observability/tracing/trace-context';

/** The target of a call as spans show it: a template instead of the path, and no parameters. */
export interface CallTarget {
  readonly operation: string;
  /** Of the external system. */
  readonly baseUrl: URL;
  /** Path below the base URL, such as `/shippings/by-id/{id}`. */
  readonly template: string;
}

/** Sends one request within a client span, in the terms of the OpenTelemetry semantic conventions. */
export function inSpan<T>(
  traces: Tracing,
  { operation, baseUrl, template }: CallTarget,
  resends: number,
  cancellation: Cancellation,
  send: (traceparent: string, recordStatus: (status: number) => void) => Promise<T>,
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
  return traces.clientSpan(
    `GET ${path}`,
    attributes,
    (span) =>
      send(traceparentOf(span.trace), (status) => {
        span.setAttributes({ 'http.response.status_code': status });
        // 404 may mean that no record matches.
        if (!isSuccess(status) && status !== 404) span.fail(failedStatus(status, undefined).reason);
      }),
    (error) => outcomeOf(cancellation.reason ?? error),
  );
}
