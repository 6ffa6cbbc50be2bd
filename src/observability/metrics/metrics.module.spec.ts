import { Registry } from 'prom-client';
import { samplesOf } from '../../../test/support/metrics';
import { MetricsController } from './metrics.controller';
import { collectProcessMetrics } from './metrics.module';

describe('collectProcessMetrics', () => {
  let registry: Registry;
  beforeEach(() => {
    registry = new Registry();
    collectProcessMetrics(registry);
  });

  it('D25 counts the time of the event loop, active and idle', async () => {
    const name = 'nodejs_eventloop_time_seconds_total';
    const measured = jest.spyOn(performance, 'eventLoopUtilization');
    measured.mockReturnValue({ active: 1500, idle: 250, utilization: 0 });
    expect(await samplesOf(registry, name)).toEqual([`${name}{state="active"} 1.5`, `${name}{state="idle"} 0.25`]);
    measured.mockReturnValue({ active: 2000, idle: 750, utilization: 0 });
    expect(await samplesOf(registry, name)).toEqual([`${name}{state="active"} 2`, `${name}{state="idle"} 0.75`]);
  });

  it('D25 the metrics of the process are exposed in the text format', async () => {
    expect(await new MetricsController(registry).scrape()).toMatch(/^process_cpu_seconds_total /m);
  });
});
