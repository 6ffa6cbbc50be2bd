import { HttpService } from '@nestjs/axios';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import MockAdapter from 'axios-mock-adapter';
import axios, { AxiosError, AxiosHeaders, type AxiosAdapter, type AxiosInstance } from 'axios';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { firstValueFrom, NEVER, of, throwError, type Observable } from 'rxjs';
import { createTestingApp, type TestingAppOptions } from '../../support/testing-app';
import { neverResponds } from '../../support/upstream/connection-faults';
import { wireRecord } from '../../support/upstream/records';
import { json, redirect } from '../../support/upstream/responses';
import { ScriptedUpstream } from '../../support/upstream/scripted-upstream';

const BY_ID = '/api/Shipping/GetShippingInfoById/SHP-1';
const LIST = '/api/Shipping/GetShippingDetails';
const RECORD = wireRecord({ Id: 'SHP-1' });
const answer = (): Observable<never> => of({ data: RECORD }) as unknown as Observable<never>;
const httpOf = (app: NestFastifyApplication): HttpService => app.get(HttpService, { strict: false });

// Failed connections are logged.
Logger.overrideLogger(false);

/** The base URL of the network, which no mocked call reaches. */
let network: Server;
let connections = 0;
let baseUrl = '';
let app: NestFastifyApplication;

beforeAll(async () => {
  network = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(network, 'listening');
  baseUrl = `http://127.0.0.1:${(network.address() as AddressInfo).port}`;
});
afterAll(async () => {
  network.close();
  await once(network, 'close');
});
beforeEach(() => {
  connections = 0;
});
afterEach(async () => {
  await app.close();
});

async function start({ env, ...options }: TestingAppOptions = {}): Promise<NestFastifyApplication> {
  app = await createTestingApp({
    ...options,
    env: { EXTERNAL_SHIPPING_BASE_URL: baseUrl, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', ...env },
  });
  return app.init();
}

/** The status of a lookup and the id that it found; how complete a list is. */
async function lookUp(): Promise<unknown> {
  const { statusCode, body } = await app.inject({ url: BY_ID });
  return [statusCode, (JSON.parse(body) as { id?: string }).id];
}
async function completeness(): Promise<unknown> {
  const { statusCode, headers } = await app.inject({ url: LIST });
  expect(statusCode).toBe(200);
  return headers['shipping-completeness'];
}

describe('HttpService replaced by a mock', () => {
  const get = jest.fn();
  beforeEach(() => get.mockReset());

  class MockedHttpService extends HttpService {
    override get = get;
  }

  it.each<[string, () => unknown]>([
    ['get', () => ({ get: get.mockImplementation(answer) })],
    ['get with a promise', () => ({ get: get.mockResolvedValue({ data: RECORD }) })],
    ['request', () => ({ request: get.mockImplementation(answer) })],
    ['get and request', () => ({ get: get.mockImplementation(answer), request: jest.fn() })],
    ['axiosRef.get', () => ({ axiosRef: { get: get.mockResolvedValue({ data: RECORD }) } })],
    ['axiosRef.request', () => ({ axiosRef: { request: get.mockResolvedValue({ data: RECORD }) } })],
    ['get and axiosRef', () => ({ get: get.mockImplementation(answer), axiosRef: { get: jest.fn() } })],
    ['a class of its own', () => (get.mockImplementation(answer), new MockedHttpService(axios.create() as never))],
    [
      'an axios instance of its own',
      () => {
        const adapter: AxiosAdapter = (config) => {
          get();
          return Promise.resolve({ data: RECORD, status: 200, statusText: 'OK', headers: {}, config });
        };
        return new HttpService(axios.create({ adapter }) as never);
      },
    ],
  ])('that has %s is what is called', async (_, mock) => {
    await start({ overrides: [{ provide: HttpService, useValue: mock() }] });
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    expect([get.mock.calls.length, connections]).toEqual([1, 0]);
  });

  it('gets path, headers and operation', async () => {
    get.mockImplementation(answer);
    const env = { EXTERNAL_SHIPPING_TOKEN: 't0ken' };
    await start({ env, overrides: [{ provide: HttpService, useValue: { get } }] });
    await lookUp();
    expect(get.mock.calls).toEqual([
      [
        '/shippings/by-id/SHP-1',
        expect.objectContaining({
          headers: expect.objectContaining({ Accept: 'application/json', Authorization: 'Bearer t0ken' }),
          operation: 'by-id',
          signal: expect.any(AbortSignal),
        }),
      ],
    ]);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'internal'],
    ['no response', of(undefined), 'internal'],
    ['a response without data', of({}), 'bad-reply'],
    ['text, which is not parsed', of({ data: '[]' }), 'bad-reply'],
    ['a status', of({ status: 503, data: [] }), 'upstream-error'],
  ])('that returns %s makes a list empty, for the fitting reason', async (_, returned, reason) => {
    get.mockReturnValue(returned);
    await start({ overrides: [{ provide: HttpService, useValue: { get } }] });
    expect(await completeness()).toBe(`unavailable;reason=${reason}`);
    expect(connections).toBe(0);
  });

  it('D26 that never responds is given up', async () => {
    get.mockReturnValue(NEVER);
    const env = { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '50' };
    await start({ env, overrides: [{ provide: HttpService, useValue: { get } }] });
    expect(await completeness()).toBe('unavailable;reason=upstream-timeout');
  });

  it('says what it lacks', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    await start({ overrides: [{ provide: HttpService, useValue: { post: get } }] });
    expect(await completeness()).toBe('unavailable;reason=internal');
    expect(logged.mock.calls.join()).toContain('UsageError: HttpService has no get, no request and no axiosRef');
  });
});

describe('HttpService spied on', () => {
  it.each<[string, (http: HttpService) => jest.SpyInstance]>([
    ['get', (http) => jest.spyOn(http, 'get').mockReturnValue(answer())],
    ['request', (http) => jest.spyOn(http, 'request').mockReturnValue(answer())],
    ['get of the class', () => jest.spyOn(HttpService.prototype, 'get').mockReturnValue(answer())],
    [
      'axiosRef',
      (http) =>
        jest
          .spyOn(http as { axiosRef: unknown }, 'axiosRef', 'get')
          .mockReturnValue({ get: () => firstValueFrom(answer()) }),
    ],
    ['axiosRef.get', (http) => jest.spyOn(http.axiosRef, 'get').mockResolvedValue({ data: RECORD })],
    ['axiosRef.request', (http) => jest.spyOn(http.axiosRef, 'request').mockResolvedValue({ data: RECORD })],
  ])('at %s is what is called, until it is restored', async (_, spyOn) => {
    await start();
    expect(await lookUp()).toEqual([500, undefined]);
    const before = connections;
    const spy = spyOn(httpOf(app));
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    expect([spy.mock.calls.length > 0, connections - before]).toEqual([true, 0]);
    spy.mockRestore();
    await lookUp();
    expect(connections).toBeGreaterThan(before);
  });

  const failedWith = (status: number): AxiosError =>
    new AxiosError('failed', status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE', undefined, undefined, {
      status,
      statusText: '',
      headers: {},
      config: { headers: new AxiosHeaders() },
      data: '',
    });

  it.each<[string, unknown, string]>([
    ['ECONNREFUSED', new AxiosError('failed', 'ECONNREFUSED'), 'upstream-unreachable'],
    ['a network error', new AxiosError('Network Error', 'ERR_NETWORK'), 'upstream-unreachable'],
    ['an error without a code', new AxiosError('failed'), 'upstream-unreachable'],
    ['an error of Node', Object.assign(new Error('failed'), { code: 'ECONNRESET' }), 'upstream-unreachable'],
    ['ECONNABORTED', new AxiosError('timeout of 1000ms exceeded', 'ECONNABORTED'), 'upstream-timeout'],
    ['ETIMEDOUT', new AxiosError('failed', 'ETIMEDOUT'), 'upstream-timeout'],
    ['503', failedWith(503), 'upstream-error'],
    ['404 of a list', failedWith(404), 'upstream-error'],
    ['302', failedWith(302), 'bad-reply'],
    ['a plain object with a response', { response: { status: 500 } }, 'upstream-error'],
    ['a body over the limit', new AxiosError('maxContentLength size of 9 exceeded', 'ERR_BAD_RESPONSE'), 'bad-reply'],
    ['an unreadable response', new AxiosError('stream has been aborted', 'ERR_BAD_RESPONSE'), 'bad-reply'],
    ['another error', new Error('failed'), 'internal'],
    ['no error', undefined, 'internal'],
  ])('D20 an error has the fitting reason: %s', async (_, error, reason) => {
    await start();
    jest.spyOn(httpOf(app), 'get').mockReturnValue(throwError(() => error));
    expect(await completeness()).toBe(`unavailable;reason=${reason}`);
    jest.spyOn(httpOf(app).axiosRef, 'request').mockRejectedValue(error);
    expect(await completeness()).toBe(`unavailable;reason=${reason}`);
    expect(connections).toBe(0);
  });

  it('D18 an error with 404 means no match on lookups', async () => {
    await start();
    jest.spyOn(httpOf(app), 'get').mockReturnValue(throwError(() => failedWith(404)));
    expect((await app.inject({ url: BY_ID })).statusCode).toBe(404);
    expect(connections).toBe(0);
  });
});

describe('the axios instance of HttpService', () => {
  let upstream: ScriptedUpstream;
  let instance: AxiosInstance;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });
  afterAll(() => upstream.close());
  beforeEach(async () => {
    upstream.reset();
    upstream.respondWith(json(RECORD));
    await start();
    instance = httpOf(app).axiosRef as AxiosInstance;
  });

  it('works with axios-mock-adapter', async () => {
    const mock = new MockAdapter(instance);
    mock.onGet('/shippings/by-id/SHP-1').reply(200, RECORD);
    mock.onGet(/^\/shippings\/details/).networkError();
    expect([await lookUp(), await completeness()]).toEqual([[200, 'SHP-1'], 'unavailable;reason=upstream-unreachable']);
    mock.reset();
    mock.onAny().timeout();
    expect(await completeness()).toBe('unavailable;reason=upstream-timeout');
    mock.reset();
    expect((await app.inject({ url: BY_ID })).statusCode).toBe(404);
    expect(connections).toBe(0);
    mock.restore();
    await lookUp();
    expect(connections).toBe(1);
  });

  it.each<[string, unknown]>([
    ['text', JSON.stringify(RECORD)],
    ['a Buffer', Buffer.from(`\ufeff${JSON.stringify(RECORD)}`)],
    ['bytes', new TextEncoder().encode(JSON.stringify(RECORD))],
    ['an object', RECORD],
  ])('takes the body of another adapter as %s', async (_, data) => {
    instance.defaults.adapter = (config) => Promise.resolve({ data, status: 200, statusText: '', headers: {}, config });
    expect([await lookUp(), connections]).toEqual([[200, 'SHP-1'], 0]);
  });

  it.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['deeply nested JSON', `{"Id":"SHP-1","Extra":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ])('D18 refuses %s of another adapter', async (_, data) => {
    instance.defaults.adapter = (config) => Promise.resolve({ data, status: 200, statusText: '', headers: {}, config });
    expect(await completeness()).toBe('unavailable;reason=bad-reply');
  });

  it.each(['axios itself', 'another base URL'])('D18 keeps the limits with %s', async (way) => {
    if (way === 'axios itself') instance.defaults.adapter = 'http';
    instance.defaults.baseURL = upstream.url;
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    upstream.respondWith(redirect(302, '/elsewhere'));
    expect(await completeness()).toBe('unavailable;reason=bad-reply');
    upstream.respondWith(json([{ Id: 'x'.repeat(6_000_000) }]));
    expect(await completeness()).toBe('unavailable;reason=bad-reply');
    expect(upstream.calls.map(({ path }) => path)).not.toContain('/elsewhere');
    expect(connections).toBe(0);
  });

  describe('changed defaults', () => {
    const patient = { EXTERNAL_SHIPPING_TIMEOUT_MS: '60000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '60000' };

    beforeEach(async () => {
      await app.close();
      await start({ env: { EXTERNAL_SHIPPING_BASE_URL: `${upstream.url}/base`, ...patient } });
      instance = httpOf(app).axiosRef as AxiosInstance;
    });

    it.each<[string, () => void, object]>([
      ['headers.common', () => (instance.defaults.headers.common['X-Tenant'] = 'north'), { 'x-tenant': 'north' }],
      ['headers.get', () => (instance.defaults.headers.get['X-Tenant'] = 'north'), { 'x-tenant': 'north' }],
      ['headers', () => ((instance.defaults.headers as unknown as Record<string, string>)['X-Tenant'] = 'north'), { 'x-tenant': 'north' }], // prettier-ignore
      ['auth', () => (instance.defaults.auth = { username: 'a', password: 'b' }), { authorization: 'Basic YTpi' }],
    ])('%s are sent', async (_, change, expected) => {
      expect(await lookUp()).toEqual([200, 'SHP-1']);
      change();
      expect(await lookUp()).toEqual([200, 'SHP-1']);
      const [before, after] = upstream.calls.map(({ headers }) => headers);
      expect(before).not.toMatchObject(expected);
      expect(after).toMatchObject({ ...expected, 'x-request-id': expect.any(String), accept: 'application/json' });
    });

    it.each(['get', 'request'] as const)('are used by %s, spied on without a mock', async (name) => {
      const spy = jest.spyOn(httpOf(app), name);
      instance.defaults.headers.common['X-Tenant'] = 'north';
      expect(await lookUp()).toEqual([200, 'SHP-1']);
      expect(spy).toHaveBeenCalledTimes(1);
      expect(upstream.calls.map(({ target, headers }) => [target, headers['x-tenant']])).toEqual([
        ['/base/shippings/by-id/SHP-1', 'north'],
      ]);
    });

    it('params are sent, behind those of the service', async () => {
      upstream.respondWith(json([RECORD]));
      instance.defaults.params = { tenant: 'north & south' };
      await app.inject({ url: `${LIST}?Limit=3` });
      expect(upstream.calls[0]?.target).toBe('/base/shippings/details?Limit=3&tenant=north+%26+south');
    });

    it('validateStatus makes errors for the interceptors', async () => {
      const seen: unknown[] = [];
      instance.defaults.validateStatus = (status) => status < 300;
      instance.interceptors.response.use(undefined, (error: AxiosError) => {
        seen.push([error.code, error.response?.status]);
        throw error;
      });
      upstream.respondWith(json({}, { status: 503 }));
      expect(await completeness()).toBe('unavailable;reason=upstream-error');
      expect(seen).toEqual([['ERR_BAD_RESPONSE', 503]]);
    });

    it('transformResponse, changed in place too, changes bodies', async () => {
      (instance.defaults.transformResponse as ((data: object) => unknown)[]).push((data) => ({ ...data, Id: 'SHP-2' }));
      expect(await lookUp()).toEqual([200, 'SHP-2']);
    });

    it('timeout ends a call', async () => {
      instance.defaults.timeout = 20;
      upstream.respondWith(neverResponds());
      expect(await completeness()).toBe('unavailable;reason=upstream-timeout');
    });
  });
});
