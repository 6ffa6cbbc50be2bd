import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { useStart } from '../../support/service';

interface CreatedRequest {
  readonly headers: readonly string[];
  addHeader(name: string, value: string): void;
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const THEIRS = `00-${TRACE}-00f067aa0ba902b7-01`;

/**
 * What agents of vendors do to each new request of undici, tried with dd-trace 5.132, newrelic 13.20 and
 * elastic-apm-node 4.18.
 */
const AGENTS: readonly (readonly [name: string, instrument: (request: CreatedRequest) => void, sent: unknown[]])[] = [
  [
    'adds its own (Datadog, New Relic)',
    (request) => {
      request.addHeader('traceparent', THEIRS);
    },
    [THEIRS, THEIRS],
  ],
  [
    'adds its own where there is none (Elastic)',
    (request) => {
      if (!request.headers.includes('traceparent')) request.addHeader('traceparent', THEIRS);
    },
    [THEIRS, THEIRS],
  ],
  ['does not trace this request', () => undefined, [undefined, undefined]],
];

const start = useStart();

it.each(AGENTS)(
  'D79 beside an agent of a vendor, the service sends no traceparent: %s',
  async (_, instrument, sent) => {
    const subscriber = (message: unknown): void => {
      instrument((message as { request: CreatedRequest }).request);
    };
    subscribe('undici:request:create', subscriber);
    const { service, upstream } = await start();
    await service.request('GetShippingDetails');
    await service.request('GetShippingDetails', { traceparent: THEIRS });
    unsubscribe('undici:request:create', subscriber);
    expect(upstream.calls.map(({ headers }) => headers.traceparent)).toEqual(sent);
    expect(service.requestLog.at(-1)?.trace_id).toBe(TRACE);
  },
);
