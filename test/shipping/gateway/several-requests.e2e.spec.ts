import { wrongShape } from '../../../src/resilience/upstream-failure';
import { collect } from '../../../src/shipping/gateway/protocol/collected-lists';
import { toLookupItems } from '../../../src/shipping/gateway/protocol/response-mapping';
import type { Send, UpstreamRequest, UpstreamResponse } from '../../../src/shipping/gateway/protocol/shipping-protocol';
import { bodyOf, StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import type { QueryResult } from '../../../src/shipping/model/query-result';
import type { PagedShippingList, ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { resetsMidBody } from '../../../testing/upstream/connection-faults';
import { wirePage, wireRecord, wireRecords } from '../../../testing/upstream/records';
import { json, status } from '../../../testing/upstream/responses';
import { expectResponse, expectUnavailable } from '../../support/expected';
import { DETAILS, PAGED } from '../../support/operations';
import { useScriptedService } from '../../support/service';

/** Fills a page with two requests, both started at once. */
class HalvesProtocol extends StandardProtocol {
  override async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const half = (PageNumber: number): Promise<QueryResult<PagedShippingList>> =>
      super.page({ ...request, parameters: { ...request.parameters, PageNumber, PageSize: 1 } }, send);
    const [first, second] = await Promise.all([half(1), half(2)]);
    return { ...first, body: { ...first.body, items: [...first.body.items, ...second.body.items] } };
  }
}

/** Starts two requests, and gives up where the first fails, without a look at the second. */
class HastyProtocol extends StandardProtocol {
  override async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const [first, second] = [send({ path: '/first' }), send({ path: '/second' })];
    if ((await first).status !== 200 || (await second).status !== 200) throw wrongShape('a part');
    return super.page(request, send);
  }
}

const REQUEST = PAGED.request;
const FIRST = json(wirePage([wireRecord({ Id: 'SHP-1' })], { TotalCount: 2 }));
const SECOND = json(wirePage([wireRecord({ Id: 'SHP-2' })], { TotalCount: 2 }));

const ids = (body: string): string[] => (JSON.parse(body) as { items: { id: string }[] }).items.map(({ id }) => id);

describe('D36 a protocol with several requests for one query', () => {
  const scripted = useScriptedService({}, { protocol: HalvesProtocol });

  it('sends one after the other, and combines them', async () => {
    scripted.upstream.enqueue(FIRST, SECOND);
    const { body } = await scripted.service.request(REQUEST);
    expect(ids(body)).toEqual(['SHP-1', 'SHP-2']);
    expect(scripted.upstream.calls.map(({ params }) => params.get('PageNumber'))).toEqual(['1', '2']);
    expect(scripted.upstream.maxInFlight).toBe(1);
  });

  it.each([
    ['upstream-error', status(400)],
    ['bad-reply', json({ Items: 'none' })],
  ])('is %s where a part fails, and sends no more', async (reason, fault) => {
    scripted.upstream.enqueue(FIRST, fault, fault);
    for (let failed = 0; failed < 2; failed += 1) {
      expectUnavailable(PAGED, await scripted.service.request(REQUEST), reason);
    }
    // A part that was sent too many would come before those of this request.
    scripted.upstream.enqueue(FIRST, SECOND);
    expect(ids((await scripted.service.request(REQUEST)).body)).toEqual(['SHP-1', 'SHP-2']);
    const sent = scripted.upstream.calls.map(({ params }) => params.get('PageNumber'));
    expect(sent).toEqual(['1', '2', '1', '1', '2']);
  });
});

describe('D36 a protocol that no longer awaits its second request', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' }, { protocol: HastyProtocol });

  it.each([status(400), resetsMidBody()])('does the service no harm: fault %#', async (fault) => {
    scripted.upstream.enqueue(fault);
    expectUnavailable(PAGED, await scripted.service.request(REQUEST), 'bad-reply');
    expectResponse(await scripted.service.request(DETAILS.request), 'complete');
    expect(scripted.upstream.calls.map(({ path }) => path)).toEqual(['/first', '/shippings/details']);
  });
});

const MAX_REQUESTS = 4;

interface Part {
  readonly ShippingDetails: unknown[];
  readonly next?: string;
}

const readPart = (path: string) => (response: UpstreamResponse) => {
  const { ShippingDetails, next } = bodyOf(response) as Part;
  if (!Array.isArray(ShippingDetails)) throw wrongShape('no ShippingDetails');
  return { items: ShippingDetails, next: next === undefined ? undefined : { path, next } };
};

/** Follows the `next` URLs of a list. */
class NextUrlProtocol extends StandardProtocol {
  override async list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    const { parameters: { Limit } = {}, forwarded } = request;
    forwardedSeen.push(forwarded);
    const path = '/shippings/details';
    const bounds = { enough: Limit, maxRequests: MAX_REQUESTS };
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
    expect(await list()).toEqual(['unavailable;reason=internal', 0, cause]);
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
});

describe('D75 a list that was read by several requests is cached whole', () => {
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' }, { protocol: NextUrlProtocol });

  it('under its Limit', async () => {
    const { upstream, service } = scripted;
    const list = async (limit: number): Promise<[unknown, number, number]> => {
      const response = await service.request(`GetShippingDetails?Limit=${limit}`);
      const count = (response.json() as unknown as unknown[]).length;
      return [response.headers['cache-status'], count, upstream.calls.length];
    };
    upstream.enqueue(part(0, '?cursor=1'), part(1, '?cursor=2'), part(2, '?cursor=3'));
    expect(await list(6)).toEqual(['shipping-query-service; fwd=miss', 6, 3]);
    expect(await list(6)).toEqual(['shipping-query-service; hit', 6, 3]);
    upstream.enqueue(part(0, '?cursor=1'), part(1));
    expect(await list(4)).toEqual(['shipping-query-service; fwd=miss', 4, 5]);
  });
});
