import { HttpService } from '@nestjs/axios';
import { AxiosError, type AxiosInstance } from 'axios';
import { NEVER, type Observable, of, throwError } from 'rxjs';
import { neverResponds } from '../../../testing/upstream/connection-faults';
import type { Behaviour, Headers } from '../../../testing/upstream/exchange';
import { wireRecord } from '../../../testing/upstream/records';
import { bytes, gzip, json, redirect, status } from '../../../testing/upstream/responses';
import { endWaitsWhenDue } from '../../support/held-waits';
import { BY_ID } from '../../support/operations';
import {
  ATTEMPT_MS,
  ONCE,
  ONE_HELD_ATTEMPT,
  type ScriptedService,
  useScriptedService,
  useStart,
} from '../../support/service';

const RECORD = wireRecord({ Id: 'SHP-1' });
const REFUSED = Object.assign(new AxiosError('failed', 'ERR_BAD_RESPONSE'), { response: { status: 503 } });
const response = (): Observable<never> => of({ data: RECORD }) as unknown as Observable<never>;

let scripted: Pick<ScriptedService, 'service' | 'upstream'>;
const startService = useStart(ONCE);

async function start(): Promise<HttpService> {
  scripted = await startService();
  scripted.upstream.respondWith(json(RECORD));
  return scripted.service.app.get(HttpService, { strict: false });
}

/** The status of a lookup and the id that it found; how complete a list is. */
async function lookUp(): Promise<unknown> {
  const { status, body } = await scripted.service.request(BY_ID.request);
  return [status, (JSON.parse(body) as { id?: string }).id];
}
async function completeness(): Promise<unknown> {
  return (await scripted.service.request('GetShippingDetails')).headers['shipping-completeness'];
}

describe('HttpService replaced by a mock', () => {
  const get = jest.fn();
  const mocked = useScriptedService(
    { ...ONE_HELD_ATTEMPT, EXTERNAL_SHIPPING_TOKEN: 't0ken', DOCS: 'off' },
    { configure: (builder) => builder.overrideProvider(HttpService).useValue({ get }) },
  );
  beforeEach(() => {
    scripted = mocked;
    get.mockReset();
  });

  it('that has get is called with path and headers', async () => {
    get.mockImplementation(response);
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    const headers: unknown = expect.objectContaining({ Accept: 'application/json', Authorization: 'Bearer t0ken' });
    const config: unknown = expect.objectContaining({ headers });
    expect(get.mock.calls).toEqual([['/shippings/by-id/SHP-1', config]]);
    expect(scripted.upstream.calls).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'internal'],
    ['a response without data', of({}), 'bad-reply'],
    ['text, which is not parsed', of({ data: '[]' }), 'bad-reply'],
    ['a status', of({ status: 503, data: [] }), 'upstream-error'],
    ['an error with a status', throwError(() => REFUSED), 'upstream-error'],
    ['an error without one', throwError(() => new Error('failed')), 'internal'],
    ['no error', throwError(() => undefined), 'internal'],
  ])('that returns %s makes a list empty', async (_, returned, reason) => {
    get.mockReturnValue(returned);
    expect(await completeness()).toBe(`unavailable;reason=${reason}`);
  });

  it('D26 that never responds is given up', async () => {
    get.mockReturnValue(NEVER);
    endWaitsWhenDue(ATTEMPT_MS, () => get.mock.calls.length > 0);
    expect(await completeness()).toBe('unavailable;reason=upstream-timeout');
  });
});

describe('HttpService spied on', () => {
  it('is what is called, until it is restored', async () => {
    const spy = jest.spyOn(await start(), 'get').mockReturnValue(response());
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    expect([spy.mock.calls.length, scripted.upstream.calls.length]).toEqual([1, 0]);
    spy.mockRestore();
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    expect(scripted.upstream.calls).toHaveLength(1);
  });
});

describe('the axios instance of HttpService', () => {
  let instance: AxiosInstance;
  beforeEach(async () => {
    instance = (await start()).axiosRef as AxiosInstance;
  });

  it('an adapter of a test replaces the external system', async () => {
    instance.defaults.adapter = (config) =>
      config.url === '/shippings/by-id/SHP-1'
        ? Promise.resolve({ config, status: 200, statusText: 'OK', headers: {}, data: RECORD })
        : Promise.reject(new AxiosError('Network Error', 'ERR_NETWORK', config));
    expect([await lookUp(), await completeness()]).toEqual([[200, 'SHP-1'], 'unavailable;reason=upstream-unreachable']);
    expect(scripted.upstream.calls).toEqual([]);
  });

  it('D18 keeps the limits with an adapter of axios', async () => {
    instance.defaults.adapter = 'http';
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    scripted.upstream.respondWith(redirect(302, '/elsewhere'));
    expect(await completeness()).toBe('unavailable;reason=bad-reply');
    scripted.upstream.respondWith(json([{ Id: 'x'.repeat(6_000_000) }]));
    expect(await completeness()).toBe('unavailable;reason=bad-reply');
    expect(scripted.upstream.calls.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  const CHANGES: [string, () => void][] = [
    ['an interceptor', () => instance.interceptors.request.use((config) => config)],
    ['the adapter of axios', () => (instance.defaults.adapter = 'http')],
    ['its adapter for fetch', () => (instance.defaults.adapter = 'fetch')],
  ];
  it.each(CHANGES)('D78 a client that disconnects ends its request with %s', async (_, change) => {
    change();
    scripted.upstream.respondWith(neverResponds());
    const leave = scripted.service.leaving(BY_ID.request);
    await scripted.upstream.waitForCalls(1);
    await leave();
    expect(await scripted.upstream.calls[0]?.outcome).toBe('aborted');
  });

  it.each(CHANGES)('D18 D80 charsets and codings with %s', async (_, change) => {
    change();
    const named = (name: string, headers: Headers): Behaviour =>
      bytes(Buffer.from(JSON.stringify(wireRecord({ Id: 'SHP-1', CreatedBy: name })), 'latin1'), headers);
    const type = (charset: string): Headers => ({ 'Content-Type': `application/json${charset}` });
    const createdBy = async (): Promise<unknown> => (await scripted.service.request(BY_ID.request)).json().createdBy;
    scripted.upstream.respondWith(named('Zo\xeb', type('; charset=latin1')));
    expect(await createdBy()).toBe('Zoë');
    const inUtf8 = Buffer.from(JSON.stringify(wireRecord({ Id: 'SHP-1', CreatedBy: 'Zoë' })));
    scripted.upstream.respondWith(bytes(inUtf8, type('; charset=latin1')));
    expect([await createdBy(), scripted.service.requestLog.at(-1)?.cause]).toEqual([
      'Zoë',
      'UTF-8 that is labelled latin1',
    ]);
    scripted.upstream.respondWith(gzip(wireRecord({ Id: 'SHP-1', CreatedBy: 'Zoë' })));
    expect(await createdBy()).toBe('Zoë');
    scripted.upstream.respondWith(named('Zo\xeb', type('')));
    expect((await scripted.service.request(BY_ID.request)).json().reason).toBe('bad-reply');
    scripted.upstream.respondWith(bytes(Buffer.from('"\xeb"', 'latin1'), type(''), 404));
    expect((await scripted.service.request(BY_ID.request)).json().reason).toBe('upstream-error');
    scripted.upstream.respondWith(status(404));
    expect((await scripted.service.request(BY_ID.request)).status).toBe(404);
  });

  it.each<[string, () => void, object]>([
    ['headers', () => (instance.defaults.headers.common['X-Tenant'] = 'north'), { 'x-tenant': 'north' }],
    ['auth', () => (instance.defaults.auth = { username: 'a', password: 'b' }), { authorization: 'Basic YTpi' }],
  ])('the option %s takes effect', async (_, change, expected) => {
    await lookUp();
    change();
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    const [before, after] = scripted.upstream.calls.map(({ headers }) => headers);
    expect(before).not.toMatchObject(expected);
    expect(after).toMatchObject({ ...expected, 'x-request-id': expect.any(String), accept: 'application/json' });
  });

  it('the option params takes effect', async () => {
    instance.defaults.params = { tenant: 'north & south' };
    await scripted.service.request('GetShippingDetails?Limit=3');
    expect(scripted.upstream.calls[0]?.target).toBe('/shippings/details?Limit=3&tenant=north+%26+south');
  });

  it('the option timeout takes effect', async () => {
    instance.defaults.timeout = 100;
    scripted.upstream.respondWith(neverResponds());
    expect(await completeness()).toBe('unavailable;reason=upstream-timeout');
    expect(await scripted.upstream.calls[0]?.outcome).toBe('aborted');
  });

  it('interceptors see requests and responses', async () => {
    const seen: unknown[] = [];
    instance.interceptors.request.use((config) => {
      config.headers.set('X-Signature', 'signed');
      return config;
    });
    instance.interceptors.response.use((received) => {
      seen.push([received.status, (received.data as { Id?: string }).Id]);
      return received;
    });
    expect(await lookUp()).toEqual([200, 'SHP-1']);
    expect([seen, scripted.upstream.calls[0]?.headers['x-signature']]).toEqual([[[200, 'SHP-1']], 'signed']);
  });
});
