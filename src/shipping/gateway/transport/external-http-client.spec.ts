import { HttpService } from '@nestjs/axios';
import { Logger } from '@nestjs/common';
import axios, { type AxiosAdapter, type AxiosInstance } from 'axios';
import { callContext } from '../../../../test/support/units';
import { garbageBytes, truncatedJson } from '../../../../test/support/upstream/body-faults';
import * as connectionFaults from '../../../../test/support/upstream/connection-faults';
import type { Behaviour } from '../../../../test/support/upstream/exchange';
import * as answers from '../../../../test/support/upstream/responses';
import { ScriptedUpstream } from '../../../../test/support/upstream/scripted-upstream';
import { Cancellation } from '../../../resilience/cancellation';
import type { AttemptFailure } from '../../../resilience/upstream-failure';
import { CredentialState } from '../credentials/credential-state';
import {
  StaticCredentials,
  type CredentialHeaders,
  type UpstreamCredentials,
} from '../credentials/upstream-credentials';
import { ConnectionState } from './connection-state';
import { ExternalHttpClient } from './external-http-client';
import { createAxiosAdapter, HttpServiceCalls } from './http-service-calls';
import { createPool, UndiciTransport } from './undici-transport';
import { parseResponse } from './upstream-response';

const LIMITS = { connections: 4, connectTimeoutMs: 2000, maxResponseBytes: 64 * 1024 };
const BODY = { Id: 'SHP-1', ShippingAddress: 'Göteborg 😀' };

// Failed connections are logged.
Logger.overrideLogger(false);

describe('ExternalHttpClient', () => {
  let upstream: ScriptedUpstream;
  let instance: AxiosInstance;
  let calls: HttpServiceCalls;
  let client: ExternalHttpClient;
  let destroy: () => Promise<void>;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });
  afterAll(() => upstream.close());
  beforeEach(() => {
    upstream.reset();
    start('t0ken');
  });
  afterEach(() => destroy());

  function start(
    token: string | undefined,
    credentials: UpstreamCredentials = new StaticCredentials(
      token === undefined ? {} : { Authorization: `Bearer ${token}` },
    ),
  ): void {
    const pool = createPool(upstream.url, LIMITS);
    const transport = new UndiciTransport(pool, '/', LIMITS, new ConnectionState());
    const adapter = createAxiosAdapter(transport);
    instance = axios.create({
      adapter,
      transformResponse: [parseResponse],
      validateStatus: null,
    });
    calls = new HttpServiceCalls(new HttpService(instance as never), adapter, new ConnectionState());
    client = new ExternalHttpClient(calls, transport, credentials, new CredentialState(), {
      url: new URL(upstream.url),
    });
    destroy = () => pool.destroy();
  }

  const get = (path = '/a', cancellation = new Cancellation()): ReturnType<ExternalHttpClient['get']> =>
    client.get({ path, operation: 'paged', context: callContext(), cancellation });
  const outcome = (): Promise<unknown> =>
    get().then(
      ({ status, headers, data }) => ({ status, data, retryAfter: headers['retry-after'] }),
      (error: unknown) => {
        const { name, reason, retryable, deadConnection } = error as AttemptFailure;
        return { name, reason, retryable, deadConnection };
      },
    );
  const sent = (): unknown[] =>
    upstream.calls.map(({ method, target, headers }) => [
      method,
      target,
      headers.accept,
      headers['x-request-id'],
      headers.traceparent,
      headers.authorization,
    ]);

  it.each<[string, Behaviour]>([
    ['a reply', answers.json(BODY)],
    ['a compressed reply', answers.gzip(BODY)],
    ['an empty reply', answers.empty(204)],
    ['no match', answers.status(404)],
    ['a failed status', answers.status(503, { retryAfter: 7 })],
    ['a redirect', answers.redirect(302, '/elsewhere')],
    ['broken JSON', truncatedJson()],
    ['no HTTP', garbageBytes()],
    ['a reset', connectionFaults.resetsBeforeHeaders()],
  ])('is the same client with an interceptor and without: %s', async (_, behaviour) => {
    upstream.enqueue(behaviour, behaviour);
    const direct = await outcome();
    instance.interceptors.request.use((config) => config);
    expect(await outcome()).toEqual(direct);
    const [first, second] = sent();
    expect(second).toEqual(first);
    expect(first).toEqual(['GET', '/a', 'application/json', 'REQ-1', callContext().traceparent, 'Bearer t0ken']);
  });

  it.each([false, true])('D16 sends no Authorization without a token (intercepted: %s)', async (intercepted) => {
    await destroy();
    start(undefined);
    if (intercepted) instance.interceptors.request.use((config) => config);
    upstream.respondWith(answers.json(BODY));
    await get();
    expect(upstream.calls[0]?.headers).not.toHaveProperty('authorization');
  });

  describe.each([false, true])('D35 after 401 (intercepted: %s)', (intercepted) => {
    const [first, second] = [{ Authorization: 'first' }, { Authorization: 'second' }];
    const tokens = (): unknown[] => upstream.calls.map(({ headers }) => headers.authorization);

    async function startWith(credentials: Partial<UpstreamCredentials>): Promise<void> {
      await destroy();
      start(undefined, { headers: () => first, replace: () => undefined, ...credentials });
      if (intercepted) instance.interceptors.request.use((config) => config);
    }

    it('D35 repeats the request once with the other credential', async () => {
      await startWith({ replace: (rejected) => (rejected === first ? second : undefined) });
      upstream.enqueue(answers.status(401), answers.json(BODY));
      expect(await outcome()).toMatchObject({ status: 200, data: BODY });
      expect(tokens()).toEqual(['first', 'second']);
    });

    it('D35 does not repeat it twice', async () => {
      await startWith({ replace: () => Promise.resolve(second) });
      upstream.respondWith(answers.status(401));
      expect(await outcome()).toMatchObject({ status: 401 });
      expect(tokens()).toEqual(['first', 'second']);
    });

    it('D35 returns the response where there is no other', async () => {
      await startWith({});
      upstream.respondWith(answers.status(401, { retryAfter: 7 }));
      expect(await outcome()).toMatchObject({ status: 401, retryAfter: '7' });
      expect(tokens()).toEqual(['first']);
    });

    it.each([400, 403, 407, 500])('D35 does not repeat after %d', async (code) => {
      await startWith({ replace: () => second });
      upstream.respondWith(answers.status(code));
      expect(await outcome()).toMatchObject({ status: code });
      expect(tokens()).toEqual(['first']);
    });

    it('D35 sends nothing more where it was cancelled meanwhile', async () => {
      const cancellation = new Cancellation();
      await startWith({
        replace: () => {
          cancellation.cancel(new Error('given up'));
          return second;
        },
      });
      upstream.respondWith(answers.status(401));
      await expect(get('/a', cancellation)).rejects.toThrow('given up');
      expect(tokens()).toEqual(['first']);
    });

    it('D35 waits for a credential, and sends nothing where it was cancelled meanwhile', async () => {
      let resolve: (headers: CredentialHeaders) => void = () => undefined;
      await startWith({ headers: () => new Promise((resolved) => (resolve = resolved)) });
      upstream.respondWith(answers.json(BODY));
      const waiting = get();
      resolve(first);
      expect((await waiting).status).toBe(200);
      const cancellation = new Cancellation();
      const cancelled = get('/a', cancellation);
      cancellation.cancel(new Error('given up'));
      resolve(first);
      await expect(cancelled).rejects.toThrow('given up');
      expect(tokens()).toEqual(['first']);
    });
  });

  it('lets interceptors see and change requests and replies, for as long as they are there', async () => {
    upstream.respondWith(answers.json(BODY));
    const request = instance.interceptors.request.use((config) => {
      config.headers.set('X-Tenant', 'north');
      return config;
    });
    const response = instance.interceptors.response.use((reply) => ({ ...reply, data: 'seen' }));
    expect((await get()).data).toBe('seen');
    instance.interceptors.request.eject(request);
    expect((await get()).data).toBe('seen');
    instance.interceptors.response.eject(response);
    expect((await get()).data).toEqual(BODY);
    expect(upstream.calls.map(({ headers }) => headers['x-tenant'])).toEqual(['north', undefined, undefined]);
  });

  it('goes through a request function that was put in place of its own', async () => {
    upstream.respondWith(answers.json(BODY));
    const own = instance.request.bind(instance);
    const wrapped = jest.fn(own);
    instance.request = wrapped as never;
    expect((await get()).data).toEqual(BODY);
    expect(wrapped).toHaveBeenCalledTimes(1);
  });

  it('goes past HttpService while that is untouched', async () => {
    const adapter = jest.fn(instance.defaults.adapter as AxiosAdapter);
    upstream.respondWith(answers.json(BODY));
    expect(calls.untouched).toBe(true);
    await get();
    expect(calls.untouched).toBe(true);
    instance.defaults.adapter = adapter;
    expect(calls.untouched).toBe(false);
    await get();
    expect(adapter).toHaveBeenCalledTimes(1);
  });

  it.each<[string, () => () => void]>([
    ['an interceptor', () => { const id = instance.interceptors.request.use((config) => config); return () => { instance.interceptors.request.eject(id); }; }], // prettier-ignore
    ['a header', () => { instance.defaults.headers.common['X-Tenant'] = 'north'; return () => { delete instance.defaults.headers.common['X-Tenant']; }; }], // prettier-ignore
    ['a header of GET', () => { instance.defaults.headers.get['X-Tenant'] = 'north'; return () => { delete instance.defaults.headers.get['X-Tenant']; }; }], // prettier-ignore
    ['a time-out', () => { instance.defaults.timeout = 1000; return () => { instance.defaults.timeout = 0; }; }], // prettier-ignore
    ['a transform', () => { const all = instance.defaults.transformResponse as unknown[]; all.push(String); return () => { all.pop(); }; }], // prettier-ignore
    ['a spy', () => { const spy = jest.spyOn(instance, 'get'); return () => { spy.mockRestore(); }; }], // prettier-ignore
  ])('is touched by %s, and untouched again without', (_, touch) => {
    const restore = touch();
    expect(calls.untouched).toBe(false);
    restore();
    expect(calls.untouched).toBe(true);
  });

  it('D18 reads Retry-After of a mock in any case', async () => {
    instance.request = () => Promise.reject(Object.assign(new Error(), { response: { status: 503, headers: { 'Retry-After': '7' } } })); // prettier-ignore
    expect(await outcome()).toEqual({ status: 503, data: undefined, retryAfter: '7' });
  });

  it.each([false, true])('ends a request that is given up (intercepted: %s)', async (intercepted) => {
    if (intercepted) instance.interceptors.request.use((config) => config);
    upstream.respondWith(connectionFaults.neverResponds());
    const cancellation = new Cancellation();
    const ended = expect(get('/a', cancellation)).rejects.toThrow();
    await upstream.waitForCalls(1);
    cancellation.cancel(new Error('given up'));
    await ended;
    expect(await upstream.calls[0]?.outcome).toBe('aborted');
  });

  it.each([false, true])('sends nothing that was given up beforehand (intercepted: %s)', async (intercepted) => {
    if (intercepted) instance.interceptors.request.use((config) => config);
    const cancellation = new Cancellation();
    cancellation.cancel(new Error('given up'));
    await expect(get('/a', cancellation)).rejects.toMatchObject({ reason: 'upstream-timeout' });
    expect(upstream.calls).toEqual([]);
  });
});
