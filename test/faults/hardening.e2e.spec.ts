import { Agent } from 'node:http';
import { join } from 'node:path';
import { eventually } from '../../testing/upstream/eventually';
import { metricOf } from '../support/http-client';
import { CLEAN_EXIT, HELD_TIMERS } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

const processes = useServiceProcesses();

it('D39 lines that nobody reads are dropped and counted, and SIGTERM ends it', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const service = await processes.start({});
  service.stopReadingOutput();
  const dropped = async (): Promise<number> => {
    const asked = Array.from({ length: 100 }, () => service.request('/api/Shipping/Nowhere', { agent }));
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([404]));
    return metricOf(service.url, 'log_lines_dropped_total');
  };
  await eventually('dropped lines', dropped, Boolean);
  service.signal('SIGTERM');
  expect(await service.ended).toEqual(CLEAN_EXIT);
  agent.destroy();
});

it('D27 a close hook that hangs ends after 25 seconds', async () => {
  const preload = [HELD_TIMERS, join(__dirname, 'support/hanging-close.js')];
  const service = await processes.start({}, { preload });
  await service.drain();
  expect((await service.endsAfter(25_000)).code).toBe(1);
  expect(service.log.at(-1)?.msg).toBe('Closing took too long');
});
