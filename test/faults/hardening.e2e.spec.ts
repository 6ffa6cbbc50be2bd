import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { neverResponds } from '../../testing/upstream/connection-faults';
import { eventually } from '../../testing/upstream/eventually';
import { json } from '../../testing/upstream/responses';
import { metricOf } from '../support/http-client';
import { PATIENT } from '../support/operations';
import type { ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

// Failed connections are logged.
Logger.overrideLogger(false);

const DETAILS = '/api/Shipping/GetShippingDetails';

describe('a hardened process', () => {
  const processes = useServiceProcesses();

  describe('D39 standard output that nobody reads', () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    afterAll(() => {
      agent.destroy();
    });

    it('D39 requests get responses, lines are dropped and counted, and SIGTERM ends the process', async () => {
      const service = await processes.start({});
      service.stopReadingOutput();
      const dropped = async (): Promise<number> => {
        const asked = Array.from({ length: 100 }, () => service.request('/api/Shipping/Nowhere', { agent }));
        expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([404]));
        return metricOf(service.url, 'log_lines_dropped_total');
      };
      await eventually('dropped lines', dropped, Boolean);
      service.signal('SIGTERM');
      expect(await service.ended).toEqual({ code: 0, signal: null });
    });
  });

  it('D34 survives 40 × 2,000 pipelined requests with a heap of 160 MiB, and serves other clients', async () => {
    const service = await processes.start(PATIENT, { nodeArguments: ['--max-old-space-size=160'] });
    const { upstream } = processes;
    upstream.respondWith(({ params }) => (params.has('OrderId') ? json() : neverResponds()));
    const request = `GET ${DETAILS} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const flood = await Promise.all(Array.from({ length: 40 }, () => connected(new URL(service.url))));
    for (const socket of flood) socket.write(request.repeat(2_000));
    await activeRequests(service, (count) => count >= 16 * 32);

    const response = await service.request(`${DETAILS}?OrderId=NEXT`);
    expect(response.status).toBe(200);
    for (const socket of flood) socket.destroy();
    await activeRequests(service, (count) => count === 0);
  });

  it('D27 a close hook that hangs does not outlast the shutdown deadline of 25 seconds', async () => {
    const preload = ['held-timers.js', 'hanging-close.js'].map((name) => join(__dirname, 'support', name));
    const service = await processes.start({}, { preload });
    service.signal('SIGTERM');
    await service.until(() => service.stdout.includes('"Draining"'), 'draining');
    await service.ask({ elapsedMs: 24_999 }, 'elapsed');
    expect(service.alive).toBe(true);
    service.send({ elapsedMs: 25_000 });
    expect((await service.exit).code).toBe(1);
    expect(service.log.at(-1)?.msg).toBe('Closing took too long');
  });
});

/** Waits until the number of requests in progress, the scrape not counted, is as expected. */
async function activeRequests(service: ServiceProcess, expected: (count: number) => boolean): Promise<void> {
  const count = async (): Promise<number> => (await metricOf(service.url, 'http_server_active_requests')) - 1;
  await eventually('requests in progress', count, expected);
}

async function connected({ hostname, port }: URL): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}
