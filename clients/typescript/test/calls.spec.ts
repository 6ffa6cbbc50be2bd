import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedService, type ScriptedService } from '../../../test/support/service';
import { json, status } from '../../../test/support/upstream/responses';
import { neverResponds } from '../../../test/support/upstream/connection-faults';
import { anyReply, wireRecord } from '../../../test/support/upstream/records';
import { ShippingClient, ShippingProblem, type CallOptions, type Fetch } from '../src/index.ts';

const PAGE_PARAMS = { PageNumber: 3, PageSize: 7 } as const;

type Call = readonly [name: string, call: (client: ShippingClient, options?: CallOptions) => Promise<unknown>];
const SINGLES: readonly Call[] = [
  ['getShippingSingle', (client, options) => client.getShippingSingle({ Id: 'SHP-1' }, options)],
  ['getShippingInfoById', (client, options) => client.getShippingInfoById('SHP-1', options)],
];
const LISTS: readonly Call[] = [
  ['getShippingDetails', (client, options) => client.getShippingDetails({ Limit: 50 }, options)],
  ['getShippingPagedList', (client, options) => client.getShippingPagedList(PAGE_PARAMS, options)],
];
const CALLS = [...SINGLES, ...LISTS];

interface Document {
  readonly paths: Readonly<Record<string, { readonly get: { readonly operationId: string } }>>;
}
const { paths } = JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8')) as Document;
const OPERATIONS = Object.entries(paths).filter(([path]) => path.startsWith('/api/Shipping/'));

describe.each(OPERATIONS)('%s', (path, { get: { operationId } }) => {
  it('has a method of the client', async () => {
    const urls: string[] = [];
    const fetch: Fetch = (url) => {
      urls.push(url);
      return Promise.reject(new Error('not sent'));
    };
    const client: object = new ShippingClient({ baseUrl: 'http://service', fetch });
    const methods = client as Record<string, (given: unknown) => Promise<unknown>>;
    const given = path.includes('{id}') ? 'SHP-1' : { OrderId: 'ORD-1' };
    await expect(methods[operationId]?.(given)).rejects.toThrow('not sent');
    expect(urls).toEqual([`http://service${path.includes('{id}') ? path.replace('{id}', 'SHP-1') : `${path}?OrderId=ORD-1`}`]); // prettier-ignore
  });
});

/** The problem that a call ends with; fails where it ends otherwise. */
const problemOf = async (call: Promise<unknown>): Promise<ShippingProblem> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ShippingProblem);
  return error as ShippingProblem;
};

describe('ShippingClient on the running service', () => {
  let scripted: ScriptedService;
  let client: ShippingClient;

  beforeAll(async () => {
    scripted = await startScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
    client = new ShippingClient({ baseUrl: scripted.service.url });
  });
  afterAll(async () => {
    // An aborted fetch may leave a connection that was never used; the server would wait for its first request.
    scripted.service.app.getHttpServer().closeAllConnections();
    await scripted.close();
  });
  beforeEach(() => {
    scripted.upstream.reset();
    scripted.upstream.respondWith(json());
  });

  const sent = (): Record<string, string> => Object.fromEntries(scripted.upstream.calls.at(-1)?.params ?? []);
  it.each(CALLS)('D20, D22, D24 %s: data, completeness, request id and ETag', async (name, call) => {
    const record = expect.objectContaining({ id: 'SHP-1', status: 'InTransit', isActive: true });
    const data = name === 'getShippingPagedList' ? expect.objectContaining({ items: [record], totalCount: 1 }) : record;
    expect(await call(client)).toEqual({
      notModified: false,
      data: name === 'getShippingDetails' ? [data] : data,
      completeness: { level: 'complete' },
      requestId: expect.stringMatching(/^[A-Za-z0-9._-]{1,64}$/),
      etag: expect.stringMatching(/^W\/"/),
      ageMs: undefined,
      ignoredParameters: [],
    });
  });

  it('sends the parameters as they are, and leaves out what is undefined', async () => {
    const filter = { SearchTerm: 'Straße 5 & +1/2 #?%', OrderId: 'ORD-1', Status: 'Delivered' } as const;
    await client.getShippingDetails({ ...filter, FromDate: '2026-07-01T08:00:00+02:00', ToDate: undefined, Limit: 5 });
    expect(sent()).toEqual({ ...filter, FromDate: '2026-07-01T06:00:00.000Z', Limit: '5' });
  });

  it.each(['a/b', 'a?b', 'a#b', '../x', '%2e%2e', 'a b', '-', 'é', '\u0000'])(
    'D9 getShippingInfoById: %j is refused as an identifier, and stays one',
    async (id) => {
      expect(await problemOf(client.getShippingInfoById(id))).toMatchObject({
        status: 400,
        code: 'invalid-parameters',
        errors: [{ parameter: expect.stringMatching(/^id$/i), message: expect.any(String) }],
      });
      expect(scripted.upstream.calls).toEqual([]);
    },
  );

  it('D10 getShippingInfoById: no identifier is 400', async () => {
    expect((await problemOf(client.getShippingInfoById(''))).status).toBe(400);
  });

  it.each(['.', '..'])('getShippingInfoById: %j never leaves, for a URL would lose it', async (id) => {
    await expect(client.getShippingInfoById(id)).rejects.toBeInstanceOf(TypeError);
  });

  it.each([
    ['PageNumber', { PageNumber: 0, PageSize: 0 }, 'Page number must be greater than 0'],
    ['PageSize', { PageSize: 101 }, 'Page size must be between 1 and 100'],
  ])('D37 D54 the message about %s is a problem', async (parameter, params, message) => {
    const problem = await problemOf(client.getShippingPagedList(params, { requestId: 'mine' }));
    expect(problem).toMatchObject({
      name: 'ShippingProblem',
      message,
      status: 400,
      code: 'invalid-parameters',
      errors: expect.arrayContaining([{ parameter, message }]),
      requestId: 'mine',
    });
  });

  it('D15 bad input names each parameter', async () => {
    const bad = { Status: 'Lost' as 'Created', Limit: 0 };
    const problem = await problemOf(client.getShippingDetails(bad));
    expect([problem.status, problem.errors.map(({ parameter }) => parameter).sort()]).toEqual([
      400,
      ['Limit', 'Status'],
    ]);
    expect(problem.message).toContain('Status must be one of');
  });

  it.each(SINGLES)('D15 %s: no record is 404', async (_, call) => {
    scripted.upstream.respondWith(status(404));
    expect(await problemOf(call(client))).toMatchObject({
      status: 404,
      code: 'shipping-not-found',
      errors: [],
      reason: undefined,
      requestId: expect.stringMatching(/./),
    });
  });

  it.each(CALLS)('D19, D20 %s: a partial response is marked', async (_, call) => {
    const odd = wireRecord({ TotalWeight: 'heavy' });
    scripted.upstream.respondWith(json(anyReply({ ...odd, Items: [odd], ShippingDetails: [odd] })));
    expect(await call(client)).toMatchObject({ completeness: { level: 'partial', reason: 'bad-reply' } });
  });

  it('D31 a list with as many records as its limit names it, in a 304 too', async () => {
    const { completeness, etag } = await client.getShippingDetails({ Limit: 1 });
    expect(completeness).toEqual({ level: 'complete', limit: 1 });
    expect(await client.getShippingDetails({ Limit: 1 }, { ifNoneMatch: etag })).toMatchObject({
      notModified: true,
      completeness: { level: 'complete', limit: 1 },
    });
  });

  it('D38 names ignored parameters, in a 304 too', async () => {
    const misspelt = { SearchTrem: 'Berlin', "it's": 1, 'a"b\\,;': 2 } as object;
    const { ignoredParameters, etag } = await client.getShippingDetails(misspelt);
    expect(ignoredParameters).toEqual([
      { name: 'SearchTrem', value: false, didYouMean: 'SearchTerm' },
      { name: "it's", value: false },
      { name: 'a"b\\,;', value: false },
    ]);
    const again = await client.getShippingDetails(misspelt, { ifNoneMatch: etag });
    expect([again.notModified, again.ignoredParameters]).toEqual([true, ignoredParameters]);
  });

  it('D20 a stale response has its reason and its age', async () => {
    const caching = await startScriptedService({
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
      CACHE_STALE_IF_ERROR_MS: '60000',
    });
    try {
      caching.upstream.respondWith(json());
      const own = new ShippingClient({ baseUrl: caching.service.url });
      await own.getShippingDetails();
      caching.upstream.respondWith(status(500));
      const { completeness, ageMs, etag } = await own.getShippingDetails();
      expect([completeness, etag]).toEqual([{ level: 'stale', reason: 'upstream-error' }, undefined]);
      expect(ageMs).toBeGreaterThanOrEqual(0);
    } finally {
      caching.service.app.getHttpServer().closeAllConnections();
      await caching.close();
    }
  });

  it('D24 a cache of the service responds to a conditional request, too', async () => {
    const { service, upstream, close } = await startScriptedService({ CACHE_TTL_MS: '60000' });
    try {
      upstream.respondWith(json());
      const own = new ShippingClient({ baseUrl: service.url });
      const { etag } = await own.getShippingDetails();
      expect(await own.getShippingDetails({}, { ifNoneMatch: etag })).toMatchObject({ notModified: true });
      expect(upstream.calls).toHaveLength(1);
    } finally {
      await close();
    }
  });

  it('D2 strict refuses unknown parameters', async () => {
    const misspelt = { SearchTrem: 'Berlin' } as object;
    expect(await problemOf(client.getShippingDetails(misspelt, { strict: true }))).toMatchObject({
      status: 400,
      errors: [{ parameter: 'SearchTrem', message: expect.stringContaining('SearchTerm') }],
    });
  });

  it.each(CALLS)('D24 %s: 304 where the ETag matches, the response otherwise', async (_, call) => {
    const { etag, data } = (await call(client)) as { etag: string; data: unknown };
    expect(await call(client, { ifNoneMatch: etag, requestId: 'again' })).toEqual({
      notModified: true,
      completeness: { level: 'complete' },
      requestId: 'again',
      etag,
      ignoredParameters: [],
    });
    expect(await call(client, { ifNoneMatch: '"other"' })).toMatchObject({ notModified: false, data, etag });
  });

  it('D22 the request id goes all the way', async () => {
    expect((await client.getShippingDetails({}, { requestId: 'order-desk.17' })).requestId).toBe('order-desk.17');
    expect(scripted.upstream.calls.at(-1)?.headers['x-request-id']).toBe('order-desk.17');
  });

  it('D22 headers of a call go along', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await client.getShippingDetails({}, { headers: { traceparent } });
    expect(scripted.upstream.calls.at(-1)?.headers.traceparent).toContain('4bf92f3577b34da6a3ce929d0e0e4736');
  });

  describe('what goes over the wire', () => {
    type Init = Parameters<Fetch>[1];
    const spied = (): { fetch: Fetch; requests: [url: string, init: Init][] } => {
      const requests: [string, Init][] = [];
      const fetch: Fetch = (url, init) => {
        requests.push([url, init]);
        return globalThis.fetch(url, init);
      };
      return { fetch, requests };
    };

    it('headers may be constant; those of a call go before them, and those of the client itself before both', async () => {
      const { fetch, requests } = spied();
      const headers = {
        Authorization: 'Bearer one',
        accept: 'text/plain',
        prefer: 'handling=lenient',
        'X-Team': 'returns',
      };
      const own = new ShippingClient({ baseUrl: scripted.service.url, headers, fetch });
      await own.getShippingDetails({}, { strict: true, headers: { 'X-Team': 'orders' } });
      expect(requests[0]?.[1].headers).toEqual({
        accept: 'application/json, application/problem+json',
        authorization: 'Bearer one',
        prefer: 'handling=strict',
        'x-team': 'orders',
      });
    });

    it('headers may be computed before each call', async () => {
      const { fetch, requests } = spied();
      let token = 0;
      const headers = async (): Promise<Record<string, string>> =>
        Promise.resolve({ Authorization: `Bearer ${++token}` });
      const own = new ShippingClient({ baseUrl: scripted.service.url, headers, fetch });
      await own.getShippingInfoById('SHP-1');
      await own.getShippingInfoById('SHP-1');
      expect(requests.map(([, init]) => init.headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
    });

    it('a call fails as its headers do, without a request', async () => {
      const { fetch, requests } = spied();
      const failure = new Error('signed out');
      const own = new ShippingClient({
        baseUrl: scripted.service.url,
        headers: () => {
          throw failure;
        },
        fetch,
      });
      await expect(own.getShippingDetails()).rejects.toBe(failure);
      expect(requests).toEqual([]);
    });

    it('fetch gets a plain URL, a GET and the signal of the call, and follows no redirect', async () => {
      const { fetch, requests } = spied();
      const { signal } = new AbortController();
      const own = new ShippingClient({ baseUrl: `${scripted.service.url}//`, fetch });
      await own.getShippingPagedList({ SearchTerm: 'ü&' }, { signal });
      expect(requests).toEqual([
        [
          `${scripted.service.url}/api/Shipping/GetShippingPagedList?SearchTerm=%C3%BC%26`,
          {
            method: 'GET',
            headers: { accept: 'application/json, application/problem+json' },
            redirect: 'manual',
            signal,
          },
        ],
      ]);
      expect(requests[0]?.[1].signal).toBe(signal);
    });

    it('the base URL may have a path', async () => {
      const urls: string[] = [];
      const fetch: Fetch = (url) => {
        urls.push(url);
        return Promise.resolve(new Response('[]', { headers: { 'Shipping-Completeness': 'complete' } }));
      };
      const own = new ShippingClient({ baseUrl: 'https://gateway.example/shipping/v2/', fetch });
      expect(await own.getShippingDetails()).toMatchObject({ data: [], requestId: undefined, etag: undefined });
      expect(urls).toEqual(['https://gateway.example/shipping/v2/api/Shipping/GetShippingDetails']);
    });

    it.each(CALLS)('%s: an ordinary request needs no preflight from a page of another origin', async (_, call) => {
      const { fetch, requests } = spied();
      await call(new ShippingClient({ baseUrl: scripted.service.url, fetch }));
      const headers = Object.entries(requests[0]?.[1].headers ?? {});
      expect(headers.map(([name]) => name)).toEqual(['accept']);
      // The bytes that Fetch forbids in a safelisted value, and its length.
      for (const [, value] of headers) expect(value).toMatch(/^[^"():<>?@[\\\]{}\u0000-\u001f\u007f]{1,128}$/);
    });

    it('the base URL may be relative for a fetch that resolves it, and in a browser', async () => {
      const { fetch, requests } = spied();
      const toService: Fetch = (url, init) => fetch(`${scripted.service.url}${url}`, init);
      await new ShippingClient({ baseUrl: '', fetch: toService }).getShippingDetails();
      expect(requests).toHaveLength(1);
      Object.assign(globalThis, { location: { href: 'https://shop.example.com/orders/7' } });
      try {
        expect(() => new ShippingClient({ baseUrl: '/shipping' })).not.toThrow();
      } finally {
        Reflect.deleteProperty(globalThis, 'location');
      }
    });

    it.each([
      [undefined, /^baseUrl is missing: .+https:/],
      [{}, /^baseUrl is missing/],
      [{ baseUrl: undefined }, /^baseUrl is missing/],
      [{ baseUrl: 7 }, /^baseUrl is missing/],
      [{ baseUrl: '' }, /^baseUrl is no absolute URL/],
      [{ baseUrl: '/shipping' }, /^baseUrl is no absolute URL/],
      [{ baseUrl: 'http://' }, /^baseUrl is no absolute URL/],
      [{ baseUrl: 'localhost:3000' }, /^baseUrl must begin with http/],
      [{ baseUrl: 'ftp://localhost' }, /^baseUrl must begin with http/],
    ])('options %j are refused with a message', (options, message) => {
      const create = (): ShippingClient => new ShippingClient(options as unknown as { baseUrl: string });
      expect(create).toThrow(TypeError);
      expect(create).toThrow(message);
    });

    it.each(['http://localhost/?a=1', 'http://localhost/#a', 'http://user:secret@localhost'])(
      'the base URL %s is refused, and not repeated',
      (baseUrl) => {
        expect(() => new ShippingClient({ baseUrl })).toThrow(TypeError);
        expect(() => new ShippingClient({ baseUrl })).not.toThrow(/localhost|secret/);
      },
    );
  });

  describe('abort', () => {
    it.each(CALLS)('%s: ends the call, down to the external system', async (_, call) => {
      scripted.upstream.respondWith(neverResponds());
      const controller = new AbortController();
      const outcome = call(client, { signal: controller.signal });
      await scripted.upstream.waitForCalls(1);
      const reason = new Error('navigated away');
      controller.abort(reason);
      await expect(outcome).rejects.toBe(reason);
      expect(await scripted.upstream.calls[0]?.outcome).toBe('aborted');
    });

    it.each(CALLS)('%s: is not even begun where the signal is aborted already', async (_, call) => {
      await expect(call(client, { signal: AbortSignal.abort('too late') })).rejects.toBe('too late');
      expect(scripted.upstream.calls).toEqual([]);
    });

    it('a time limit is a signal', async () => {
      scripted.upstream.respondWith(neverResponds());
      const outcome = client.getShippingDetails({ Limit: 1 }, { signal: AbortSignal.timeout(50) });
      await expect(outcome).rejects.toMatchObject({ name: 'TimeoutError' });
    });

    it('ends the wait for headers, and for a fetch that knows no signals', async () => {
      const never = (): Promise<never> => new Promise(() => undefined);
      for (const hung of [{ headers: never }, { fetch: never }]) {
        const controller = new AbortController();
        const own = new ShippingClient({ baseUrl: scripted.service.url, ...hung });
        const outcome = own.getShippingDetails({}, { signal: controller.signal });
        controller.abort('enough');
        await expect(outcome).rejects.toBe('enough');
      }
    });

    it('leaves nothing behind on a signal that lives long', async () => {
      const { signal } = new AbortController();
      const added = jest.spyOn(signal, 'addEventListener');
      const removed = jest.spyOn(signal, 'removeEventListener');
      expect(await client.getShippingDetails({ Limit: 2 }, { signal })).toMatchObject({
        completeness: { level: 'complete' },
      });
      const own = added.mock.calls.filter(([, , options]) => options === undefined);
      expect(own).toHaveLength(1);
      expect(removed.mock.calls).toContainEqual(own[0]);
    });
  });
});

describe('ShippingClient while the external system fails', () => {
  let scripted: ScriptedService;
  let client: ShippingClient;

  // One for each test: so many failures open the circuit.
  beforeEach(async () => {
    scripted = await startScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
    client = new ShippingClient({ baseUrl: scripted.service.url });
    scripted.upstream.respondWith(status(500));
  });
  afterEach(() => scripted.close());

  it.each(SINGLES)('D15 %s: a failed external system is 500', async (_, call) => {
    expect(await problemOf(call(client))).toMatchObject({
      status: 500,
      code: 'external-system-failed',
      reason: 'upstream-error',
    });
  });

  it.each(LISTS)('D20 %s: a degraded response is marked and has no ETag', async (name, call) => {
    const empty = expect.objectContaining({ items: [], totalCount: 0, pageNumber: 3, pageSize: 7 });
    expect(await call(client)).toMatchObject({
      data: name === 'getShippingDetails' ? [] : empty,
      completeness: { level: 'unavailable', reason: 'upstream-error' },
      etag: undefined,
    });
  });

  it.each(CALLS)('D21 %s: strict by default or by call fails instead', async (_, call) => {
    const strict = new ShippingClient({ baseUrl: scripted.service.url, strict: true });
    const expected = { status: 502, code: 'external-system-failed', reason: 'upstream-error' };
    expect(await problemOf(call(strict))).toMatchObject(expected);
    expect(await problemOf(call(client, { strict: true }))).toMatchObject(expected);
  });

  it('D21 a call may be lenient where the client is strict', async () => {
    const strict = new ShippingClient({ baseUrl: scripted.service.url, strict: true });
    expect(await strict.getShippingDetails({}, { strict: false })).toMatchObject({ data: [] });
  });
});
