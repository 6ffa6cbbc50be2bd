import { Logger } from '@nestjs/common';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { eventually } from '../../testing/upstream/eventually';
import { held, validResponse } from '../../testing/upstream/responses';
import { completenessOf } from '../support/expected';
import { metricOf } from '../support/http-client';
import { PAGED } from '../support/operations';
import { PATIENT } from '../support/service';
import { unreadConnection } from './support/raw-connection';
import { CLEAN_EXIT, HELD_TIMERS } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

// Failed connections are logged.
Logger.overrideLogger(false);

const CLIENTS = 40;
/** Memory of a request that waits. */
const WAITING_BYTES = 2048;

describe('a hardened process', () => {
  const processes = useServiceProcesses();

  describe('D39 standard output that nobody reads', () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    afterAll(() => {
      agent.destroy();
    });

    it('D39 lines are dropped and counted, and SIGTERM ends it', async () => {
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
    });
  });

  it('D34 a flood of pipelined requests fits a heap of 160 MiB', async () => {
    const service = await processes.start(PATIENT, { nodeArguments: ['--max-old-space-size=160'] });
    const { upstream } = processes;
    const { behaviour, release } = held();
    upstream.respondWith((call) => (call.path === PAGED.externalPath ? validResponse(call) : behaviour));
    const request = 'GET /api/Shipping/GetShippingDetails HTTP/1.1\r\nHost: a\r\n\r\n';
    const flood = await Promise.all(Array.from({ length: CLIENTS }, () => unreadConnection(service.url)));
    // The first request of each connection has a slot and stays in flight, so that those behind it wait.
    for (const socket of flood) socket.write(request);
    await upstream.waitForCalls(CLIENTS);
    for (const socket of flood) socket.write(request.repeat(2_000));
    const waiting = (): Promise<number> => metricOf(service.url, 'http_server_unsent_bytes');
    // The connections that hold most are closed where the heap has no room for them (D59).
    await eventually('bytes of requests that wait', waiting, (bytes) => bytes > CLIENTS * 300 * WAITING_BYTES);

    expect(completenessOf(await service.request(`/api/Shipping/${PAGED.request}`))).toBe('complete');
    for (const socket of flood) socket.destroy();
    // The service does not read these connections, and sees that they are closed when it responds.
    release();
    // The scrape counts, too.
    await eventually('requests in progress', () => metricOf(service.url, 'http_server_active_requests'), 1);
  });

  it('D27 a close hook that hangs ends after 25 seconds', async () => {
    const preload = [HELD_TIMERS, join(__dirname, 'support/hanging-close.js')];
    const service = await processes.start({}, { preload });
    await service.drain();
    expect((await service.endsAfter(25_000)).code).toBe(1);
    expect(service.log.at(-1)?.msg).toBe('Closing took too long');
  });
});
