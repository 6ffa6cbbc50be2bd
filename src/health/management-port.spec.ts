import fastify, { type FastifyInstance } from 'fastify';
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { readSettings } from '../config/settings';
import { RequestRecord } from '../http/requests/request-record';
import { BoundedServer } from '../http/server/bounded-server';
import { continueTrace } from '../observability/tracing/trace-context';
import { separateManagement } from './management-port';

describe.each([
  [
    'with a management port',
    '0',
    { operation: 404, probe: 200, metrics: 200 },
    { operation: 200, probe: 200, metrics: 404 },
  ],
  ['without one', undefined, undefined, { operation: 200, probe: 200, metrics: 200 }],
] as const)('D25 %s', (_, port, there, here) => {
  let app: FastifyInstance & { routing: RequestListener };
  let url: string;
  const logged = jest.fn<void, [{ management?: string }, string]>();

  beforeEach(async () => {
    logged.mockClear();
    const settings = readSettings(port === undefined ? {} : { MANAGEMENT_PORT: port });
    app = fastify({ serverFactory: (listener: RequestListener) => new BoundedServer(listener, 10) }) as never;
    app.decorateRequest('record');
    app.addHook('onRequest', (request, __, done) => {
      request.record = new RequestRecord(continueTrace(undefined), request.routeOptions);
      done();
    });
    separateManagement(app, { ...settings, host: '127.0.0.1' }, { info: logged } as unknown as Logger);
    app.get('/operation', ({ seesDetails }) => ({ seesDetails }));
    app.get('/probe', { config: { purpose: 'management', onEveryPort: true } }, ({ seesDetails }) => ({ seesDetails }));
    app.get('/metrics', { config: { purpose: 'management' } }, ({ seesDetails }) => ({ seesDetails }));
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => app.close());

  const statusesAt = async (origin: string): Promise<Record<string, number>> => {
    const names = ['operation', 'probe', 'metrics'];
    const statuses = await Promise.all(names.map(async (name) => [name, (await fetch(`${origin}/${name}`)).status]));
    return Object.fromEntries(statuses) as Record<string, number>;
  };

  it('each port serves its own routes, and both serve probes', async () => {
    expect(await statusesAt(url)).toEqual(here);
    const [[opened] = []] = logged.mock.calls;
    expect(opened?.management === undefined).toBe(there === undefined);
    if (opened?.management !== undefined) expect(await statusesAt(opened.management)).toEqual(there);
  });

  it('details of probes are where the metrics are', async () => {
    const [[opened] = []] = logged.mock.calls;
    const detailsAt = async (origin: string): Promise<unknown> => (await fetch(`${origin}/probe`)).json();
    expect(await detailsAt(url)).toEqual({ seesDetails: there === undefined });
    if (opened?.management !== undefined) expect(await detailsAt(opened.management)).toEqual({ seesDetails: true });
  });

  it('closes with the application', async () => {
    const [[opened] = []] = logged.mock.calls;
    await app.close();
    await expect(fetch(`${opened?.management ?? url}/probe`)).rejects.toThrow('fetch failed');
  });
});

it('D26 a port that is taken is named by its setting', async () => {
  const taken = await fastify().listen({ port: 0, host: '127.0.0.1' });
  const app = fastify() as unknown as FastifyInstance & { routing: RequestListener };
  const settings = { ...readSettings({ MANAGEMENT_PORT: new URL(taken).port }), host: '127.0.0.1' };
  separateManagement(app, settings, {} as Logger);
  await expect(app.ready()).rejects.toThrow('MANAGEMENT_PORT');
});
