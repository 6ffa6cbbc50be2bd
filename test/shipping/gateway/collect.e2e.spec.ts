import { failedStatus, wrongShape } from '../../../src/resilience/upstream-failure';
import { collect } from '../../../src/shipping/gateway/protocol/collect';
import { bodyOf, toLookupItems, toPagedList } from '../../../src/shipping/gateway/protocol/response-mapping';
import type { Send, UpstreamRequest, UpstreamResponse } from '../../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import type { QueryResult } from '../../../src/shipping/model/query-result';
import type { PagedShippingList, ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { neverResponds } from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import { wireRecords } from '../../../testing/upstream/records';
import { json, status } from '../../../testing/upstream/responses';
import { holdLongWaits } from '../../support/held-waits';
import { useScriptedService } from '../../support/service';
import { useMovedDate } from '../../support/wall-clock';

const MAX_REQUESTS = 4;
const PACE_MS = 700;
let paceMs = 0;

interface Part {
  readonly ShippingDetails: unknown[];
  readonly next?: string;
  /** An error inside of a 200, after which the part is requested again. */
  readonly busy?: boolean;
}

const readPart = (path: string) => (response: UpstreamResponse) => {
  const { ShippingDetails, next, busy } = bodyOf(response) as Part;
  if (busy === true) throw failedStatus(503);
  if (!Array.isArray(ShippingDetails)) throw wrongShape('no ShippingDetails');
  return { items: ShippingDetails, next: next === undefined ? undefined : { path, next } };
};

/** Follows the `next` URLs of a list. */
class NextUrlProtocol extends StandardProtocol {
  override async list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    const { parameters: { Limit } = {}, forwarded } = request;
    forwardedSeen.push(forwarded);
    const path = '/shippings/details';
    const bounds = { enough: Limit, maxRequests: MAX_REQUESTS, paceMs };
    return toLookupItems({
      ShippingDetails: await collect(send, { path, query: { size: 2 } }, readPart(path), bounds),
    });
  }
}
const forwardedSeen: UpstreamRequest['forwarded'][] = [];

const records = wireRecords(10);
const part = (index: number, next?: unknown) =>
  json({ ShippingDetails: records.slice(2 * index, 2 * index + 2), ...(next !== undefined && { next }) });

describe('D36 collect reads a list in parts', () => {
  const scripted = useScriptedService({ FORWARD_HEADERS: 'X-Tenant-Id' }, { protocol: NextUrlProtocol });
  const list = async (query = ''): Promise<[unknown, number, unknown]> => {
    const response = await scripted.service.request(`GetShippingDetails${query}`, { 'X-Tenant-Id': 'north' });
    const count = (response.json() as unknown as unknown[]).length;
    return [response.headers['shipping-completeness'], count, scripted.service.requestLog.at(-1)?.cause];
  };
  const targets = (): unknown[] => scripted.upstream.calls.map(({ target }) => target);

  beforeEach(() => {
    paceMs = 0;
  });

  it('to the end, by absolute or relative URLs', async () => {
    const { upstream } = scripted;
    const { url } = upstream;
    upstream.enqueue(part(0, `${url}/shippings/details?cursor=a%26b`), part(1, '?cursor=c'));
    upstream.enqueue(part(2, '/v2/more?x=1#y'), part(3));
    expect(await list()).toEqual(['complete', 8, undefined]);
    const queries = ['size=2', 'cursor=a%26b', 'cursor=c'].map((query) => `/shippings/details?${query}`);
    expect(targets()).toEqual([...queries, '/v2/more?x=1']);
    expect(forwardedSeen.at(-1)).toEqual({ 'X-Tenant-Id': 'north' });
  });

  it('until enough records are found, and no further', async () => {
    scripted.upstream.enqueue(part(0, '?cursor=1'), part(1, '?cursor=2'));
    expect(await list('?Limit=4')).toEqual(['complete;limit=4', 4, undefined]);
    expect(scripted.upstream.calls).toHaveLength(2);
    const read = () => ({ items: [1, 2, 3], next: undefined });
    expect(await collect(jest.fn(), { path: '/' }, read, { enough: 2, maxRequests: 1 })).toEqual([1, 2]);
  });

  it('up to a bound, beyond which it is unavailable', async () => {
    scripted.upstream.respondWith(part(0, '?cursor=1'));
    const cause = `the list needs more than ${MAX_REQUESTS} requests`;
    expect(await list()).toEqual(['unavailable;reason=bad-reply', 0, cause]);
    expect(scripted.upstream.calls).toHaveLength(MAX_REQUESTS);
  });

  it.each([
    ...['https://evil.example/shippings/details?cursor=1', '//evil.example/shippings/details', 'file:///etc/passwd'],
    ...['javascript:alert(1)', 'http://', '/a/%252e%252e/b', 7, { href: '/shippings/details' }],
  ])('D9 but not %j', async (next) => {
    scripted.upstream.enqueue(part(0, next));
    expect(await list()).toEqual(['unavailable;reason=bad-reply', 0, 'next page: no URL below the base URL']);
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('with a pace between its requests', async () => {
    paceMs = PACE_MS;
    const { waited } = holdLongWaits((ms) => ms === PACE_MS);
    scripted.upstream.enqueue(part(0, '?cursor=1'), part(1, '?cursor=2'), part(2));
    expect(await list()).toEqual(['complete', 6, undefined]);
    expect(waited.filter((ms) => ms === PACE_MS)).toHaveLength(2);
  });
});

describe('D78 collect ends its pace with the call', () => {
  const env = { EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', EXTERNAL_SHIPPING_TIMEOUT_MS: '1000' };
  const scripted = useScriptedService(env, { protocol: NextUrlProtocol });

  it('at its deadline, and sends nothing more', async () => {
    paceMs = 1_000_000;
    scripted.upstream.enqueue(part(0, '?cursor=1'));
    scripted.upstream.respondWith(neverResponds());
    const { headers } = await scripted.service.request('GetShippingDetails');
    expect(headers['shipping-completeness']).toBe('unavailable;reason=upstream-timeout');
    const cause = 'time-out: no end of the pause before the next request within the 1000 ms of the call';
    expect(scripted.service.requestLog.at(-1)?.cause).toBe(cause);
    await eventually('calls in flight', () => scripted.upstream.inFlight(), 0);
    expect(scripted.upstream.calls).toHaveLength(1);
    expect(await scripted.service.metric('external_shipping_calls_in_flight')).toBe(0);
  });
});

/** Has pages only as far as it reads the whole list for each. */
class WholeListProtocol extends NextUrlProtocol {
  override async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const { parameters: { PageNumber = 1, PageSize = 10 } = {} } = request;
    const path = '/shippings/paged';
    const found = await collect(send, { path, query: { size: 2 } }, readPart(path), { maxRequests: MAX_REQUESTS });
    const Items = found.slice((PageNumber - 1) * PageSize, PageNumber * PageSize);
    return toPagedList({ Items, TotalCount: found.length, PageNumber, PageSize });
  }
}

describe('D75 what collect has read for one page serves the next, where the cache is on', () => {
  const TTL_MS = 60_000;
  const env = { CACHE_TTL_MS: String(TTL_MS), FORWARD_HEADERS: 'X-Tenant-Id', EXTERNAL_SHIPPING_MAX_ATTEMPTS: '2' };
  const scripted = useScriptedService(env, { protocol: WholeListProtocol });
  const pass = useMovedDate();
  let tenants = 0;
  let tenant = '';
  beforeEach(() => {
    // Each test has a list of its own.
    tenant = `tenant-${(tenants += 1)}`;
    paceMs = 0;
    scripted.upstream.respondWith(({ params }) => {
      const index = Number(params.get('cursor') ?? 0);
      return part(index, index < 2 ? `?cursor=${index + 1}` : undefined);
    });
  });
  const page = async (number: number, headers = { 'X-Tenant-Id': tenant }): Promise<[unknown, unknown, number]> => {
    const before = scripted.upstream.calls.length;
    const response = await scripted.service.request(`GetShippingPagedList?PageNumber=${number}&PageSize=2`, headers);
    const { items } = response.json() as { items: { id: string }[] };
    const calls = scripted.upstream.calls.length - before;
    return [response.headers['shipping-completeness'], items.map(({ id }) => id).join(), calls];
  };
  const idsOf = (number: number): string =>
    records
      .slice(2 * number - 2, 2 * number)
      .map(({ Id }) => Id)
      .join();

  it('without a request, for equal forwarded headers', async () => {
    expect(await page(1)).toEqual(['complete', idsOf(1), 3]);
    expect(await page(2)).toEqual(['complete', idsOf(2), 0]);
    expect(await page(3)).toEqual(['complete', idsOf(3), 0]);
    expect(await page(2, { 'X-Tenant-Id': 'another' })).toEqual(['complete', idsOf(2), 3]);
  });

  it('for CACHE_TTL_MS from when it was read', async () => {
    await page(1);
    pass(TTL_MS - 10_000);
    expect(await page(2)).toEqual(['complete', idsOf(2), 0]);
    pass(11_000);
    expect(await page(2)).toEqual(['complete', idsOf(2), 3]);
  });

  it('but no part of a page that is not complete', async () => {
    scripted.upstream.enqueue(part(0, '?cursor=1'), json({ ShippingDetails: [records[2], { Id: 'X', Status: [] }] }));
    expect((await page(1))[0]).toBe('complete');
    expect((await page(2))[0]).toMatch(/^partial/);
    expect((await page(2))[2]).toBe(3);
  });

  const BUSY = json({ busy: true });
  it.each([
    ['a part of no use', [json({ nothing: true })], 'bad-reply'],
    ['a status, twice', [status(500), status(500)], 'upstream-error'],
    ['an error inside a 200, twice', [BUSY, BUSY], 'upstream-error'],
  ])('and after %s a call goes on behind its parts', async (_, faults, reason) => {
    scripted.upstream.enqueue(part(0, '?cursor=1'), part(1, '?cursor=2'), ...faults);
    expect((await page(1))[0]).toBe(`unavailable;reason=${reason}`);
    expect(await page(1)).toEqual(['complete', idsOf(1), 1]);
  });

  it('and a cursor that has expired meanwhile fails one call', async () => {
    scripted.upstream.enqueue(part(0, '?cursor=1'), part(1, '?cursor=2'), status(500), status(500), status(410));
    for (const call of [1, 2]) expect([call, (await page(1))[0]]).toEqual([call, 'unavailable;reason=upstream-error']);
    expect(await page(1)).toEqual(['complete', idsOf(1), 3]);
  });
});
