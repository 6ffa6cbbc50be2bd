import { Registry } from 'prom-client';
import { countsOf, samplesOf } from '../../../test/support/metrics';
import { GatewayMetrics } from './gateway.metrics';

describe('GatewayMetrics', () => {
  let registry: Registry;
  let metrics: GatewayMetrics;
  beforeEach(() => {
    registry = new Registry();
    metrics = new GatewayMetrics(registry);
  });
  const samples = (name: string): Promise<string[]> => samplesOf(registry, name);

  it('D25 reads the number of calls at each scrape, next to its limits', async () => {
    let calls = { circuits: {}, inFlight: 3, waiting: 7 };
    metrics.showState(() => calls, { maxConcurrent: 64, maxQueue: 1024 });
    const name = 'external_shipping_calls';
    expect(await samples(`${name}_in_flight`)).toEqual([`${name}_in_flight 3`]);
    expect(await samples(`${name}_waiting`)).toEqual([`${name}_waiting 7`]);
    calls = { ...calls, inFlight: 0 };
    expect(await samples(`${name}_in_flight`)).toEqual([`${name}_in_flight 0`]);
    expect(await samples(`${name}_in_flight_limit`)).toEqual([`${name}_in_flight_limit 64`]);
    expect(await samples(`${name}_waiting_limit`)).toEqual([`${name}_waiting_limit 1024`]);
  });

  it('D25 counts the events of the call policy', async () => {
    metrics.attemptSettled('success', 5);
    metrics.attemptSettled('upstream-timeout', 2000);
    metrics.queued(7);
    metrics.retried();
    metrics.retried();
    metrics.connectionReplaced();
    metrics.refused('circuit-open');
    metrics.refused('saturated');
    const attempts = 'external_shipping_attempt_duration_seconds';
    expect(await countsOf(registry, attempts)).toEqual([
      `${attempts}_count{outcome="success"} 1`,
      `${attempts}_count{outcome="upstream-timeout"} 1`,
    ]);
    const waits = 'external_shipping_queue_wait_seconds';
    expect(await countsOf(registry, waits)).toEqual([`${waits}_count 1`]);
    const events = 'external_shipping_policy_events_total';
    expect((await samples(events)).sort()).toEqual([
      `${events}{event="connection-replaced"} 1`,
      `${events}{event="refused-circuit-open"} 1`,
      `${events}{event="refused-saturated"} 1`,
      `${events}{event="retried"} 2`,
    ]);
  });

  it('D33 shows the circuit of each operation', async () => {
    const circuits = { single: 'closed', details: 'half-open', paged: 'open' } as const;
    metrics.showState(() => ({ circuits, inFlight: 0, waiting: 0 }), { maxConcurrent: 64, maxQueue: 1024 });
    const name = 'external_shipping_circuit_state';
    expect(await samples(name)).toEqual([
      `${name}{operation="single"} 0`,
      `${name}{operation="details"} 1`,
      `${name}{operation="paged"} 2`,
    ]);
  });
});
