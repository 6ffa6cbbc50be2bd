import { ExternalShippingGateway, jobContext, type QueryResult, StandardProtocol } from '../../../src';
import { wireList, wirePage, wireRecord, wireRecords } from '../../../testing/upstream/records';
import { json, status } from '../../../testing/upstream/responses';
import { expectResponse } from '../../support/expected';
import { type HttpResponse, ONCE, PATIENT, useScriptedService, useStart } from '../../support/service';

/** Its external system gives one record at most, whatever the `Limit`. */
class CappedProtocol extends StandardProtocol {
  override async list(...request: Parameters<StandardProtocol['list']>): ReturnType<StandardProtocol['list']> {
    return { ...(await super.list(...request)), completeness: { level: 'complete', limit: 1 } };
  }
}

const DETAILS5 = 'GetShippingDetails?Limit=5';
const holds = (count: number) => json(wireList(wireRecords(count)));

describe('D31 the unpaged list says when it may be cut off', () => {
  const scripted = useScriptedService(ONCE);
  const start = useStart(ONCE);

  it.each([
    { name: 'fewer than Limit', sent: 4, query: '?Limit=5', completeness: 'complete' },
    { name: 'as many as Limit', sent: 5, query: '?Limit=5', completeness: 'complete;limit=5' },
    { name: 'more than Limit', sent: 6, query: '?Limit=5', completeness: 'complete;limit=5' },
    { name: '99 without Limit', sent: 99, query: '', completeness: 'complete' },
    { name: '100 without Limit', sent: 100, query: '', completeness: 'complete;limit=100' },
    { name: '101 without Limit', sent: 101, query: '', completeness: 'complete' },
    { name: '100 where Limit is 200', sent: 100, query: '?Limit=200', completeness: 'complete;limit=100' },
  ])('D31 GetShippingDetails, $name', async ({ sent, query, completeness }) => {
    scripted.upstream.respondWith(holds(sent));
    const response = await scripted.service.request(`GetShippingDetails${query}`);
    expectResponse(response, completeness);
    expect(response.json()).toHaveLength(query === '?Limit=5' ? Math.min(5, sent) : sent);
    expect(response.headers['cache-control']).toBe('private, no-cache');
  });

  const [A, B, C] = ['A', 'B', 'C'].map((Id) => wireRecord({ Id }));
  it.each([
    ['keeps the first Limit records', [A, B, C], 'complete;limit=2', ['A', 'B']],
    ['drops malformed ones among them', [A, null, C], 'partial;reason=bad-reply;dropped=1', ['A']],
    ['does not look at those beyond them', [A, B, C, null], 'complete;limit=2', ['A', 'B']],
  ])('D73 %s', async (_, records, completeness, ids) => {
    scripted.upstream.respondWith(json(wireList(records)));
    const response = await scripted.service.request('GetShippingDetails?Limit=2');
    expect(response.headers['shipping-completeness']).toBe(completeness);
    expect((response.json() as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  });

  const page = wirePage(wireRecords(2), { PageSize: 2, TotalCount: 9, TotalPages: 5 });
  it.each([
    ['a list that lacks records', json(wireList([null, ...wireRecords(5)])), DETAILS5, 'partial;reason=bad-reply'],
    ['an unavailable list', status(500), DETAILS5, 'unavailable;reason=upstream-error'],
    ['a page', json(page), 'GetShippingPagedList?PageSize=2', 'complete'],
  ])('D31 %s has no limit', async (_, behaviour, request, completeness) => {
    scripted.upstream.respondWith(behaviour);
    expectResponse(await scripted.service.request(request), completeness);
  });

  it('D31 metrics and logs have the level only', async () => {
    scripted.upstream.respondWith(holds(3));
    await scripted.service.request('GetShippingDetails?Limit=3');
    expect((await scripted.service.get('/metrics')).body).not.toContain('limit=3');
    expect(scripted.service.requestLog.map(({ completeness }) => completeness)).not.toContain('complete;limit=3');
  });

  it.each([
    ['keeps a limit of its protocol', CappedProtocol, 1],
    ['has its own', StandardProtocol, 2],
  ])('D31 a cached list %s', async (_, protocol, limit) => {
    const env = { CACHE_TTL_MS: '60000', CACHE_STALE_IF_ERROR_MS: '60000' };
    const { service, upstream } = await start(env, { protocol });
    upstream.respondWith(holds(limit));
    const ask = (): Promise<HttpResponse> => service.request('GetShippingDetails?Limit=2');
    const [first, shared] = await Promise.all([ask(), ask()]);
    const later = await ask();
    for (const response of [first, shared, later]) {
      expectResponse(response, `complete;limit=${limit}`);
      expect(response.headers.etag).toBe(first.headers.etag);
    }
    expect([later.headers['cache-status'], upstream.calls.length]).toEqual([expect.stringMatching(/ hit$/), 1]);
    const now = Date.now() + 60_000;
    jest.spyOn(Date, 'now').mockReturnValue(now);
    upstream.respondWith(status(500));
    expectResponse(await ask(), 'stale;reason=upstream-error');
  });
});

describe('D31 at most 10,000 records are asked for', () => {
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '50000000' });

  it.each([
    ['', null],
    ['?Limit=101', '101'],
    ['?Limit=10000', '10000'],
    ['?Limit=2147483647', '10000'],
  ])('D31 GetShippingDetails%s sends Limit %s', async (query, sent) => {
    await scripted.service.request(`GetShippingDetails${query}`);
    expect(scripted.upstream.calls.map(({ params }) => params.get('Limit'))).toEqual([sent]);
  });

  it('D31 a larger Limit counts as 10000', async () => {
    scripted.upstream.respondWith(holds(10_000));
    const { headers } = await scripted.service.request('GetShippingDetails?Limit=10001');
    expect(headers['shipping-completeness']).toBe('complete;limit=10000');
  });
});

/** Ignores `Limit`, and returns each record twice, with Ids of their own. */
class RepeatingProtocol extends StandardProtocol {
  override list: StandardProtocol['list'] = async (request, send) => {
    const result = await super.list({ ...request, parameters: {} }, send);
    return { ...result, body: result.body.flatMap((record) => [record, { ...record, id: `${record.id}-b` }]) };
  };
}

describe('D31 D73 the gateway bounds the list of a team', () => {
  const env = { ...PATIENT, EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '50000000' };
  const scripted = useScriptedService(env, { protocol: RepeatingProtocol });
  const operation = { name: 'team-list', path: () => '/team/list' };
  const list = (Limit?: number): Promise<QueryResult<unknown[]>> =>
    scripted.service.app
      .get(ExternalShippingGateway, { strict: false })
      .list({ operation, parameters: { Limit } }, jobContext());

  it.each([
    { limit: 3, sent: 5, kept: 3 },
    { limit: 50_000, sent: 6000, kept: 10_000 },
    { limit: undefined, sent: 6000, kept: 10_000 },
  ])('with Limit $limit it keeps $kept of twice $sent', async ({ limit, sent, kept }) => {
    scripted.upstream.respondWith(holds(sent));
    const { body, completeness } = await list(limit);
    expect([body.length, completeness]).toEqual([kept, { level: 'complete', limit: kept }]);
  });

  it('a partial list is bounded, too, and has no limit', async () => {
    scripted.upstream.respondWith(json(wireList([wireRecord({ TotalWeight: 'heavy' }), ...wireRecords(4)])));
    const { body, completeness } = await list(2);
    expect([body.length, completeness.level]).toEqual([2, 'partial']);
    expect(completeness).not.toHaveProperty('limit');
  });
});
