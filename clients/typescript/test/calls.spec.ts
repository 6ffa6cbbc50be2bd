import { useScriptedService } from '../../../test/support/service';
import { neverResponds } from '../../../testing/upstream/connection-faults';
import { status } from '../../../testing/upstream/responses';
import { type CallOptions, type Fetch, ShippingClient, ShippingProblem } from '../src/index.ts';
import { clientWith, complete } from './support/stubbed-client.ts';

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

/** What the generator writes for a query of a team. */
interface TeamData {
  readonly body?: never;
  readonly path?: never;
  readonly query: { readonly Carrier: string };
  readonly url: '/api/Shipping/Team';
}

it('sends the query of a team, typed by what is generated', async () => {
  const { client, sent } = clientWith(() => complete({ items: [] }));
  const request = { url: '/api/Shipping/Team', query: { Carrier: 'DHL' } } as const;
  const { data } = await client.query<TeamData, { items: string[] }>(request);
  expect(sent).toMatchObject([{ url: { search: '?Carrier=DHL' } }]);
  expect(data.items).toEqual([]);
});

it.each(CALLS)('%s needs no preflight from a page of another origin', async (_, call) => {
  const { client, sent } = clientWith(() => complete({}));
  await call(client).catch(() => undefined);
  // The bytes that Fetch forbids in a safelisted value, and its length.
  const safelisted = expect.stringMatching(/^[^"():<>?@[\\\]{}\u0000-\u001f\u007f]{1,128}$/);
  expect(sent[0]?.headers).toEqual({ accept: safelisted });
});

it.each([
  [undefined, /^baseUrl is missing: .+https:/],
  [{ baseUrl: 7 }, /^baseUrl is missing/],
  [{ baseUrl: '' }, /^baseUrl is no absolute URL/],
  [{ baseUrl: '/shipping' }, /^baseUrl is no absolute URL/],
  [{ baseUrl: 'localhost:3000' }, /^baseUrl must begin with http/],
  [{ baseUrl: 'http://user:secret@host' }, /^baseUrl has credentials; use headers$/],
  [{ baseUrl: 'http://host?a' }, /^baseUrl has a query or a fragment$/],
  [{ baseUrl: 'http://host#a' }, /^baseUrl has a query or a fragment$/],
])('options %j are refused with a message', (options, message) => {
  expect(() => new ShippingClient(options as unknown as { baseUrl: string })).toThrow(message);
});

/** The problem that a call ends with; fails where it ends otherwise. */
const problemOf = async (call: Promise<unknown>): Promise<ShippingProblem> => {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ShippingProblem);
  return error as ShippingProblem;
};

describe('ShippingClient on the running service', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
  let client: ShippingClient;
  beforeEach(() => {
    client = new ShippingClient({ baseUrl: scripted.service.url });
  });

  const sent = (): Record<string, string> => Object.fromEntries(scripted.upstream.calls.at(-1)?.params ?? []);
  it.each(CALLS)('D20, D22, D24 %s: data, completeness, request id and ETag', async (name, call) => {
    const record = expect.objectContaining({ id: 'SHP-1', status: 'InTransit', isActive: true });
    const data =
      name === 'getShippingPagedList' ? expect.objectContaining({ items: [record], totalCount: 21 }) : record;
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

  it('sends parameters as they are, without absent ones', async () => {
    const filter = { SearchTerm: 'Straße 5 & +1/2 #?%', OrderId: 'ORD-1', Status: 'Delivered' } as const;
    const params = { ...filter, FromDate: '2026-07-01T08:00:00+02:00', Limit: 5, ToDate: null, Colour: undefined };
    expect((await client.getShippingDetails(params as object)).ignoredParameters).toEqual([]);
    expect(sent()).toEqual({ ...filter, FromDate: '2026-07-01T06:00:00.000Z', Limit: '5' });
  });

  const NO_IDS = ['a/b', 'a?b', 'a#b', '../x', '%2e%2e', 'é', '\u0000'];
  it.each(NO_IDS)('D9 getShippingInfoById: %j stays an identifier, and is 400', async (id) => {
    const errors = [{ parameter: expect.stringMatching(/^id$/i), message: expect.any(String) }];
    const expected = { status: 400, code: 'invalid-parameters', errors };
    expect(await problemOf(client.getShippingInfoById(id))).toMatchObject(expected);
    expect(scripted.upstream.calls).toEqual([]);
  });

  it.each(['.', '..'])('getShippingInfoById: %j is never sent: a URL would lose it', async (id) => {
    await expect(client.getShippingInfoById(id)).rejects.toBeInstanceOf(TypeError);
  });

  it.each([
    ['PageNumber', { PageNumber: 0, PageSize: 0 }, 'Page number must be greater than 0'],
    ['PageSize', { PageSize: 101 }, 'Page size must be between 1 and 100'],
  ])('D4 the message about %s is a problem', async (parameter, params, message) => {
    const problem = await problemOf(client.getShippingPagedList(params, { requestId: 'mine' }));
    const errors = expect.arrayContaining([{ parameter, message }]);
    const expected = { message, status: 400, code: 'invalid-parameters', errors, requestId: 'mine' };
    expect(problem).toMatchObject({ name: 'ShippingProblem', ...expected });
  });

  it.each(SINGLES)('D15 %s: no record is 404, and a failed system 500', async (_, call) => {
    const common = { errors: [], requestId: expect.stringMatching(/./) };
    scripted.upstream.respondWith(status(404));
    const notFound = { status: 404, code: 'shipping-not-found', reason: undefined, ...common };
    expect(await problemOf(call(client))).toMatchObject(notFound);
    scripted.upstream.respondWith(status(500));
    const failed = { status: 500, code: 'external-system-failed', reason: 'upstream-error', ...common };
    expect(await problemOf(call(client))).toMatchObject(failed);
  });

  it('D2 D31 names ignored parameters and the limit, in a 304 too', async () => {
    const misspelt = { SearchTrem: 'Berlin', "it's": 1, 'a"b\\,;': 2 } as object;
    const { ignoredParameters, completeness, etag } = await client.getShippingDetails({ ...misspelt, Limit: 1 });
    expect([ignoredParameters, completeness.limit]).toEqual([['SearchTrem', "it's", 'a"b\\,;'], 1]);
    const again = await client.getShippingDetails({ ...misspelt, Limit: 1 }, { ifNoneMatch: etag });
    expect(again).toMatchObject({ notModified: true, ignoredParameters, completeness });
  });

  it.each(CALLS)('D24 %s: 304 where the ETag matches, the response otherwise', async (_, call) => {
    const { etag, data } = (await call(client)) as { etag: string; data: unknown };
    const common = { completeness: { level: 'complete' }, requestId: 'again', etag, ignoredParameters: [] };
    expect(await call(client, { ifNoneMatch: etag, requestId: 'again' })).toEqual({ notModified: true, ...common });
    expect(await call(client, { ifNoneMatch: '"other"' })).toMatchObject({ notModified: false, data, etag });
  });

  it('fetch gets a plain URL, GET and the signal', async () => {
    const fetch = jest.fn<ReturnType<Fetch>, Parameters<Fetch>>((url, init) => globalThis.fetch(url, init));
    const { signal } = new AbortController();
    const own = new ShippingClient({ baseUrl: `${scripted.service.url}//`, fetch });
    await own.getShippingPagedList({ SearchTerm: 'ü&' }, { signal });
    const url = `${scripted.service.url}/api/Shipping/GetShippingPagedList?SearchTerm=%C3%BC%26`;
    const init = { method: 'GET', headers: expect.anything(), redirect: 'manual', signal };
    expect(fetch).toHaveBeenCalledWith(url, init);
  });

  it.each(CALLS)('%s: an aborted signal ends the external call, too', async (_, call) => {
    scripted.upstream.respondWith(neverResponds());
    const controller = new AbortController();
    const outcome = call(client, { signal: controller.signal });
    await scripted.upstream.waitForCalls(1);
    const reason = new Error('navigated away');
    controller.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    expect(await scripted.upstream.calls[0]?.outcome).toBe('aborted');
  });

  it.each(LISTS)('D20 %s: a degraded response is marked and has no ETag', async (name, call) => {
    scripted.upstream.respondWith(status(500));
    const empty = expect.objectContaining({ items: [], totalCount: 0, pageNumber: 3, pageSize: 7 });
    expect(await call(client)).toMatchObject({
      data: name === 'getShippingDetails' ? [] : empty,
      completeness: { level: 'unavailable', reason: 'upstream-error' },
      etag: undefined,
    });
  });

  it.each(CALLS)('D21 %s: strict by default or by call fails instead', async (_, call) => {
    scripted.upstream.respondWith(status(500));
    const strict = new ShippingClient({ baseUrl: scripted.service.url, strict: true });
    const expected = { status: 502, code: 'external-system-failed', reason: 'upstream-error' };
    expect(await problemOf(call(strict))).toMatchObject(expected);
    expect(await problemOf(call(client, { strict: true }))).toMatchObject(expected);
  });
});
