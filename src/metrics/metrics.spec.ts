import { CallerLeft } from '../shipping/gateway/policy/caller-left';
import { ExternalSystemFailure } from '../shipping/model/external-system-failure';
import { INCOMPLETENESS_REASONS } from '../shipping/model/completeness';
import { Metrics } from './metrics';
import { MetricsController } from './metrics.controller';

const REQUEST = { method: 'GET', route: '/api/Shipping/GetShippingDetails', status: 200, durationMs: 12, requestId: 'hidden', traceId: 'hidden', spanId: 'hidden', completeness: 'complete', problem: undefined }; // prettier-ignore

describe('Metrics', () => {
  let metrics: Metrics;
  beforeEach(() => {
    metrics = new Metrics();
  });

  const lines = async (name: string): Promise<string[]> =>
    (await metrics.registry.getSingleMetricAsString(name)).split('\n').filter((line) => !line.startsWith('#'));
  const count = async (name: string): Promise<string[]> =>
    (await lines(name)).filter((line) => line.startsWith(`${name}_count`));

  it('D25 counts requests by route and completeness, and nothing of their callers', async () => {
    metrics.requestAnswered(REQUEST);
    metrics.requestAnswered({ ...REQUEST, status: 499, completeness: undefined });
    const name = 'http_server_request_duration_seconds';
    expect((await count(name)).sort()).toEqual([
      `${name}_count{method="GET",route="/api/Shipping/GetShippingDetails",status="200",completeness="complete"} 1`,
      `${name}_count{method="GET",route="/api/Shipping/GetShippingDetails",status="499",completeness="none"} 1`,
    ]);
    expect((await lines(name)).join()).toContain(`${name}_sum{`);
    expect((await lines(name)).find((line) => line.includes('le="0.025"') && line.includes('complete"'))).toMatch(
      / 1$/,
    );
    expect(await metrics.registry.metrics()).not.toContain('hidden');
  });

  it('D25 counts methods that nobody knows as one', async () => {
    for (const method of ['GET', 'QUERY', 'BREW', '__proto__']) metrics.requestAnswered({ ...REQUEST, method });
    const labels = 'route="/api/Shipping/GetShippingDetails",status="200",completeness="complete"';
    const name = 'http_server_request_duration_seconds_count';
    expect(await count('http_server_request_duration_seconds')).toEqual([
      `${name}{method="GET",${labels}} 1`,
      `${name}{method="_OTHER",${labels}} 3`,
    ]);
  });

  it('D25 asks at each scrape how many requests and calls there are', async () => {
    let calls = { circuit: 'closed' as const, inFlight: 3, waiting: 7 };
    metrics.showActiveRequests(() => 11);
    metrics.showCalls(() => calls, { maxConcurrent: 64, maxQueue: 1024 });
    expect(await lines('http_server_active_requests')).toEqual(['http_server_active_requests 11']);
    expect(await lines('external_shipping_calls_in_flight')).toEqual(['external_shipping_calls_in_flight 3']);
    expect(await lines('external_shipping_calls_waiting')).toEqual(['external_shipping_calls_waiting 7']);
    calls = { ...calls, inFlight: 0 };
    expect(await lines('external_shipping_calls_in_flight')).toEqual(['external_shipping_calls_in_flight 0']);
    expect(await lines('external_shipping_calls_in_flight_limit')).toEqual(['external_shipping_calls_in_flight_limit 64']); // prettier-ignore
    expect(await lines('external_shipping_calls_waiting_limit')).toEqual(['external_shipping_calls_waiting_limit 1024']); // prettier-ignore
  });

  it('D25 counts the time of the event loop, working and idle', async () => {
    const name = 'nodejs_eventloop_time_seconds_total';
    const seconds = async (): Promise<number[]> => (await lines(name)).map((line) => Number(line.split(' ')[1]));
    const before = await seconds();
    let [active = 0, idle = 0] = before;
    // A process that gets its core late finds the pause over, and was never idle: then once more.
    while (idle === before[1]) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      [active = 0, idle = 0] = await seconds();
    }
    expect((await lines(name)).map((line) => line.split(' ')[0])).toEqual([`${name}{state="active"}`, `${name}{state="idle"}`]); // prettier-ignore
    expect(active).toBeGreaterThan(before[0] ?? NaN);
    expect(idle).toBeGreaterThan(before[1] ?? NaN);
  });

  it.each([
    ['success', undefined],
    ...INCOMPLETENESS_REASONS.filter((reason) => reason !== 'internal').map(
      (reason) => [reason, new ExternalSystemFailure(reason, '')] as const,
    ),
    ['caller-left', new CallerLeft()],
    ['internal', new TypeError('odd')],
  ] as const)('D25 times a call with the outcome %s, and passes it on', async (outcome, error) => {
    const call = (): Promise<string> => (error === undefined ? Promise.resolve('answer') : Promise.reject(error));
    const timed = metrics.timeExternalCall('by-id', call);
    await (error === undefined ? expect(timed).resolves.toBe('answer') : expect(timed).rejects.toBe(error));
    const name = 'external_shipping_call_duration_seconds';
    expect(await count(name)).toEqual([`${name}_count{operation="by-id",outcome="${outcome}"} 1`]);
  });

  it('D25 hears what the call policy does', async () => {
    const { observer } = metrics;
    observer.attemptSettled?.('success', 5);
    observer.attemptSettled?.('upstream-timeout', 2000);
    observer.queued?.(7);
    observer.retried?.();
    observer.retried?.();
    observer.shared?.();
    observer.connectionReplaced?.();
    observer.refused?.('circuit-open');
    observer.refused?.('saturated');
    const attempts = 'external_shipping_attempt_duration_seconds';
    expect(await count(attempts)).toEqual([
      `${attempts}_count{outcome="success"} 1`,
      `${attempts}_count{outcome="upstream-timeout"} 1`,
    ]);
    expect(await count('external_shipping_queue_wait_seconds')).toEqual([
      'external_shipping_queue_wait_seconds_count 1',
    ]);
    const events = 'external_shipping_policy_events_total';
    expect((await lines(events)).sort()).toEqual([
      `${events}{event="connection-replaced"} 1`,
      `${events}{event="refused-circuit-open"} 1`,
      `${events}{event="refused-saturated"} 1`,
      `${events}{event="retried"} 2`,
      `${events}{event="shared"} 1`,
    ]);
  });

  it('D25 hears what the cache does', async () => {
    metrics.cacheObserver.served('paged', 'hit');
    metrics.cacheObserver.served('paged', 'hit');
    metrics.cacheObserver.served('single', 'stale');
    metrics.cacheObserver.storeFailed('write');
    expect(await lines('shipping_cache_requests_total')).toEqual([
      'shipping_cache_requests_total{operation="paged",result="hit"} 2',
      'shipping_cache_requests_total{operation="single",result="stale"} 1',
    ]);
    expect(await lines('shipping_cache_store_failures_total')).toEqual([
      'shipping_cache_store_failures_total{failure="read"} 0',
      'shipping_cache_store_failures_total{failure="write"} 1',
      'shipping_cache_store_failures_total{failure="entry"} 0',
    ]);
  });

  it.each([
    ['closed', 0],
    ['half-open', 1],
    ['open', 2],
  ] as const)('D25 shows the %s circuit as %d', async (state, level) => {
    metrics.observer.circuitChanged?.(state);
    expect(await lines('external_shipping_circuit_state')).toEqual([`external_shipping_circuit_state ${level}`]);
  });

  it('D25 is exposed with the figures of the process, in the text format', async () => {
    const text = await new MetricsController(metrics).scrape();
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    expect(text).toMatch(/^external_shipping_circuit_state 0$/m);
  });

  it('keeps figures apart from those of another application in the same process', async () => {
    const other = new Metrics();
    other.requestAnswered(REQUEST);
    expect(await count('http_server_request_duration_seconds')).toEqual([]);
  });
});
