import { Controller, Get, Module, Res } from '@nestjs/common';
import { CqrsModule, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Context, ExternalShippingGateway, GatewayModule, Limit, QueryParameters, respond } from '../../src';
import { ShippingListQuery, StandardProtocol } from '../../src';
import type { QueryContext, QueryResult, Send, ShippingLookupItem, UpstreamRequest } from '../../src';
import { DETAILS, expectAnswer, expectUnavailable, PATIENT, STRICT } from '../support/operations';
import { startScriptedService, useScriptedService, type HttpResponse, type ScriptedService } from '../support/service';
import { json, status } from '../../testing/upstream/responses';
import { detailsReply, pagedReply, wireRecord, wireRecords } from '../../testing/upstream/records';

const holds = (count: number) => json(detailsReply(wireRecords(count)));

/** Its external system gives one record at most, whatever the `Limit`. */
class CappedProtocol extends StandardProtocol {
  override async list(...request: Parameters<StandardProtocol['list']>): ReturnType<StandardProtocol['list']> {
    return { ...(await super.list(...request)), completeness: { level: 'complete', limit: 1 } };
  }
}

describe('D31 the unpaged list says when it may be cut off', () => {
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  it.each([
    ['fewer than Limit', 4, '?Limit=5', 'complete'],
    ['as many as Limit', 5, '?Limit=5', 'complete;limit=5'],
    ['one, where Limit is one', 1, '?Limit=001', 'complete;limit=1'],
    ['more than Limit', 6, '?Limit=5', 'complete;limit=5'],
    ['99 without Limit', 99, '', 'complete'],
    ['100 without Limit', 100, '', 'complete;limit=100'],
    ['100 with a blank Limit', 100, '?Limit=', 'complete;limit=100'],
    ['101 without Limit, which cuts nothing', 101, '', 'complete'],
    ['100 of 200', 100, '?Limit=200', 'complete'],
    ['none', 0, '?Limit=1', 'complete'],
  ])('D31 GetShippingDetails, %s', async (_, count, query, completeness) => {
    scripted.upstream.respondWith(holds(count));
    const response = await scripted.service.request(`GetShippingDetails${query}`);
    expectAnswer(response, completeness);
    expect(response.json()).toHaveLength(query === '?Limit=5' ? Math.min(5, count) : count);
    expect(response.headers['cache-control']).toBe('private, no-cache');
  });

  it('D73 keeps the first Limit records of a system that ignores it, and drops malformed ones among them', async () => {
    const ids = async (): Promise<unknown[]> => {
      const response = await scripted.service.request('GetShippingDetails?Limit=2');
      return [
        response.headers['shipping-completeness'],
        ...(response.json() as unknown as { id: string }[]).map(({ id }) => id),
      ];
    };
    const records = ['A', 'B', 'C'].map((Id) => wireRecord({ Id }));
    scripted.upstream.respondWith(json(detailsReply(records)));
    expect(await ids()).toEqual(['complete;limit=2', 'A', 'B']);
    scripted.upstream.respondWith(json(detailsReply([records[0], null, records[2]])));
    expect(await ids()).toEqual(['partial;reason=bad-reply;dropped=1', 'A']);
    scripted.upstream.respondWith(json(detailsReply([...records, null])));
    expect(await ids()).toEqual(['complete;limit=2', 'A', 'B']);
  });

  it('D31 a strict client reads the same', async () => {
    scripted.upstream.respondWith(holds(2));
    expectAnswer(await scripted.service.request('GetShippingDetails?Limit=2', STRICT), 'complete;limit=2');
  });

  it('D31 and D24: GET, HEAD and 304 have the limit, and one ETag', async () => {
    scripted.upstream.respondWith(holds(2));
    const { etag } = (await scripted.service.request('GetShippingDetails?Limit=2')).headers;
    const path = '/api/Shipping/GetShippingDetails?Limit=2';
    for (const method of ['GET', 'HEAD']) {
      const unchanged = await scripted.service.get(path, { method, headers: { 'If-None-Match': String(etag) } });
      expect([unchanged.status, unchanged.headers.etag, unchanged.headers['shipping-completeness']]).toEqual([
        304,
        etag,
        'complete;limit=2',
      ]);
    }
  });

  it('D31 a list that lacks records is partial, whatever its limit', async () => {
    scripted.upstream.respondWith(json(detailsReply([null, ...wireRecords(5)])));
    expectAnswer(await scripted.service.request('GetShippingDetails?Limit=5'), 'partial;reason=bad-reply');
  });

  it('D31 an unavailable list has no limit', async () => {
    scripted.upstream.respondWith(status(500));
    expectUnavailable(DETAILS, await scripted.service.request('GetShippingDetails?Limit=5'), 'upstream-error');
  });

  it('D31 pages have no limit', async () => {
    scripted.upstream.respondWith(json(pagedReply(wireRecords(2), { PageSize: 2, TotalCount: 9, TotalPages: 5 })));
    expectAnswer(await scripted.service.request('GetShippingPagedList?PageSize=2'), 'complete');
  });

  it('D31 metrics and logs have the level only', async () => {
    scripted.upstream.respondWith(holds(3));
    await scripted.service.request('GetShippingDetails?Limit=3');
    expect((await scripted.service.get('/metrics')).body).not.toContain('limit=3');
    expect(scripted.service.requestLog.map(({ completeness }) => completeness)).not.toContain('complete;limit=3');
  });

  const withCache = async (
    env: Record<string, string>,
    test: (ask: () => Promise<HttpResponse>, upstream: ScriptedService['upstream']) => Promise<void>,
  ): Promise<void> => {
    const { service, upstream, close } = await startScriptedService({
      ...PATIENT,
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
      ...env,
    });
    upstream.respondWith(holds(2));
    try {
      await test(() => service.request('GetShippingDetails?Limit=2'), upstream);
    } finally {
      await close();
    }
  };

  it('D31 a cached list has its limit', () =>
    withCache({ CACHE_TTL_MS: '60000' }, async (ask) => {
      const [first, second] = [await ask(), await ask()];
      for (const response of [first, second]) expectAnswer(response, 'complete;limit=2');
      expect(second.headers['cache-status']).toMatch(/ hit$/);
      expect(second.headers.etag).toBe(first.headers.etag);
    }));

  it('D31 a cached list keeps a limit of its protocol, and clients that share a call get it', async () => {
    const scripted = await startScriptedService({ CACHE_TTL_MS: '60000' }, { protocol: CappedProtocol });
    scripted.upstream.respondWith(holds(1));
    const ask = (): Promise<HttpResponse> => scripted.service.request('GetShippingDetails?Limit=20');
    for (const response of [...(await Promise.all([ask(), ask()])), await ask()]) {
      expectAnswer(response, 'complete;limit=1');
    }
    expect(scripted.upstream.calls).toHaveLength(1);
    await scripted.close();
  });

  it('D31 a stale list has its reason', () =>
    withCache({ CACHE_STALE_IF_ERROR_MS: '60000' }, async (ask, upstream) => {
      expectAnswer(await ask(), 'complete;limit=2');
      upstream.respondWith(status(500));
      expectAnswer(await ask(), 'stale;reason=upstream-error');
    }));
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

class TeamListParams {
  @Limit()
  Limit?: number;
}
class TeamListQuery extends ShippingListQuery<TeamListParams, ShippingLookupItem[]> {
  emptyBody(): ShippingLookupItem[] {
    return [];
  }
}
@QueryHandler(TeamListQuery)
class TeamListHandler implements IQueryHandler<TeamListQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}
  execute({ params, context }: TeamListQuery): Promise<QueryResult<ShippingLookupItem[]>> {
    const operation = { name: 'team-list', path: () => '/team/list' };
    return this.gateway.list({ operation, parameters: { ...params } }, context);
  }
}
@Controller('api/Team')
class TeamListController {
  constructor(private readonly queryBus: QueryBus) {}
  @Get('list')
  async list(
    @QueryParameters() params: TeamListParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingLookupItem[]> {
    return respond(reply, await this.queryBus.execute(new TeamListQuery(params, context)));
  }
}
@Module({ imports: [CqrsModule, GatewayModule], controllers: [TeamListController], providers: [TeamListHandler] })
class TeamListModule {}

/** Ignores `Limit`, and cuts nothing off. */
class UnlimitedProtocol extends StandardProtocol {
  override list(request: UpstreamRequest, send: Send): ReturnType<StandardProtocol['list']> {
    return super.list({ ...request, parameters: { ...request.parameters, Limit: undefined } }, send);
  }
}

describe("D31 D73 the gateway bounds a team's list by a team's protocol", () => {
  const env = { ...PATIENT, EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '50000000' };
  const scripted = useScriptedService(env, { imports: [TeamListModule], protocol: UnlimitedProtocol });

  it.each([
    ['?Limit=3', 2, 2, 'complete'],
    ['?Limit=3', 3, 3, 'complete;limit=3'],
    ['?Limit=3', 5, 3, 'complete;limit=3'],
    ['', 100, 100, 'complete;limit=100'],
    ['', 101, 101, 'complete'],
    ['?Limit=50000', 10_001, 10_000, 'complete;limit=10000'],
    ['', 10_001, 10_000, 'complete;limit=10000'],
  ])('list%s of %i records holds %i: %s', async (query, count, kept, completeness) => {
    scripted.upstream.respondWith(holds(count));
    const response = await scripted.service.get(`/api/Team/list${query}`);
    expect(response.headers['shipping-completeness']).toBe(completeness);
    expect(response.json()).toHaveLength(kept);
  });

  it('a partial list is bounded, too, and has no limit', async () => {
    scripted.upstream.respondWith(json(detailsReply([wireRecord({ TotalWeight: 'heavy' }), ...wireRecords(4)])));
    const response = await scripted.service.get('/api/Team/list?Limit=2');
    expect(response.headers['shipping-completeness']).toBe('partial;reason=bad-reply');
    expect(response.json()).toHaveLength(2);
  });
});
