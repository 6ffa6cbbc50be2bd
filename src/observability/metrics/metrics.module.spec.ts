import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { collectDefaultMetrics, Counter, register, Registry } from 'prom-client';
import { eventually } from '../../../testing/upstream/eventually';
import { VERSION } from '../../common/version';
import { counter, gauge, MetricsModule } from './metrics.module';

let app: NestFastifyApplication;
beforeAll(async () => {
  const module = await Test.createTestingModule({ imports: [MetricsModule] }).compile();
  app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  await app.init();
});
afterAll(() => app.close());

const scrape = () => app.inject('/metrics');
const valueOf = (text: string, name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);

it('D25 the metrics of Node and the version are served as text for Prometheus', async () => {
  const { headers, body } = await scrape();
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toContain(`shipping_build_info{version="${VERSION}"} 1\n`);
  expect(valueOf(body, 'process_cpu_seconds_total')).toBeGreaterThan(0);
});

it('D70 the time in which the event loop is busy is counted', async () => {
  const active = async (): Promise<number> => {
    const { body } = await scrape();
    return valueOf(body, 'shipping_event_loop_active_seconds_total');
  };
  const before = await active();
  expect(before).toBeGreaterThan(0);
  await eventually('seconds in which the event loop is busy', active, (value) => value > before);
  // A process cannot have been busy for longer than it lives, however often it is asked.
  expect(await active()).toBeLessThan(performance.now() / 1000);
});

it('D25 the default registry of prom-client is included', async () => {
  new Counter({ name: 'team_parcels_total', help: 'Parcels' }).inc(3);
  // Those of the process have the same names there as in the registry of the service.
  collectDefaultMetrics();
  for (let count = 0; count < 2; count += 1) {
    expect((await scrape()).body.match(/^team_parcels_total .*$/gm)).toEqual(['team_parcels_total 3']);
  }
  register.clear();
});

it('D25 a counter is zero for each value at first, and a gauge is read at each scrape', async () => {
  const registry = new Registry();
  let value = 1;
  gauge(registry, 'held', 'Held', () => value);
  counter(registry, 'events_total', 'Events', 'event', ['a', 'b']).inc({ event: 'b' });
  expect(await registry.metrics()).toMatch(/held 1\n[^]*\{event="a"\} 0\n[^]*\{event="b"\} 1\n/);
  value = 2;
  expect(await registry.metrics()).toContain('held 2\n');
});
