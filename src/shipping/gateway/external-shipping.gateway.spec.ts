import { Registry } from 'prom-client';
import { callContext } from '../../../test/support/units';
import { detailsReply, pagedReply, wireRecord } from '../../../test/support/upstream/records';
import { readSettings } from '../../config/settings';
import { ExternalSystemFailure } from '../model/external-system-failure';
import { COMPLETE } from '../model/completeness';
import { ShippingStatus } from '../model/shipping-status';
import { detailsRequest } from '../queries/get-shipping-details/get-shipping-details.request';
import { infoByIdRequest } from '../queries/get-shipping-info-by-id/get-shipping-info-by-id.request';
import { pagedListRequest } from '../queries/get-shipping-paged-list/get-shipping-paged-list.request';
import { singleRequest } from '../queries/get-shipping-single/get-shipping-single.request';
import { GatewayMetrics } from './gateway.metrics';
import type { ExternalHttpClient, ExternalRequest } from './transport/external-http-client';
import { StandardProtocol } from './protocol/standard-protocol';
import { ExternalShippingGateway } from './external-shipping.gateway';
import type { Attempt } from '../../resilience/attempt-runner';
import type { CallPolicy } from '../../resilience/call-policy';
import { Cancellation } from '../../resilience/cancellation';

interface Given {
  readonly status?: number;
  readonly data?: unknown;
  readonly headers?: Record<string, string>;
}

type Execute = (operation: string, key: string, attempt: Attempt<unknown>, signal?: AbortSignal) => Promise<unknown>;

const EVERY_CRITERION = {
  OrderId: 'ORD 1&2',
  Status: ShippingStatus.InTransit,
  FromDate: new Date('2026-03-01T00:00:00.000Z'),
  ToDate: new Date('2026-03-31T23:59:59.999Z'),
};
const CRITERIA_QUERY =
  'OrderId=ORD%201%262&Status=InTransit&FromDate=2026-03-01T00%3A00%3A00.000Z&ToDate=2026-03-31T23%3A59%3A59.999Z';
const PAGE = { PageNumber: 2, PageSize: 5, SortBy: 'status', SortDirection: 'ASC' };

describe('ExternalShippingGateway', () => {
  const get = jest.fn<Promise<Required<Given>>, [request: ExternalRequest]>();
  const execute = jest.fn<ReturnType<Execute>, Parameters<Execute>>();
  const registry = new Registry();
  const metrics = new GatewayMetrics(registry);
  const cancellation = new Cancellation();
  const context = callContext();
  let gateway: ExternalShippingGateway;

  beforeEach(() => {
    get.mockReset();
    execute.mockReset();
    execute.mockImplementation((_operation, _key, attempt) => attempt(cancellation));
    gateway = gatewayWith({});
  });

  function gatewayWith(env: NodeJS.ProcessEnv): ExternalShippingGateway {
    const client = { get } as unknown as ExternalHttpClient;
    const settings = readSettings(env);
    const protocol = new StandardProtocol(settings);
    return new ExternalShippingGateway(client, protocol, { execute } as unknown as CallPolicy, metrics, settings);
  }

  const upstreamResponds = ({ status = 200, data, headers = {} }: Given): void => {
    get.mockResolvedValue({ status, data, headers });
  };
  const sentPath = (): unknown => get.mock.calls[0]?.[0].path;

  it('D16 sends the criteria of a single lookup, in their exact spelling', async () => {
    upstreamResponds({ data: wireRecord() });
    const params = { Id: 'SHP-1', TrackingNumber: 'ä/1', ...EVERY_CRITERION };
    expect(await gateway.fetch(singleRequest(params), context)).toEqual({
      body: expect.objectContaining({ id: 'SHP-1' }),
      completeness: COMPLETE,
      facts: {},
    });
    expect(sentPath()).toBe(`/shippings/single?Id=SHP-1&${CRITERIA_QUERY.replace('&Status', '&TrackingNumber=%C3%A4%2F1&Status')}`); // prettier-ignore
  });

  it('D16 leaves out absent values, and other properties of the parameters', async () => {
    upstreamResponds({ data: wireRecord() });
    await gateway.fetch(singleRequest({ OrderId: 'A', Evil: 'x' } as never), context);
    expect(sentPath()).toBe('/shippings/single?OrderId=A');
  });

  it.each([
    ['SHP-1', '/shippings/by-id/SHP-1'],
    ['a/../b', '/shippings/by-id/a%2F..%2Fb'],
    ['a?b#c', '/shippings/by-id/a%3Fb%23c'],
    ["$&$1$'", "/shippings/by-id/%24%26%241%24'"],
    ['{id}', '/shippings/by-id/%7Bid%7D'],
    ['//evil.example', '/shippings/by-id/%2F%2Fevil.example'],
  ])('D9 the identifier %s stays within its path', async (id, path) => {
    upstreamResponds({ data: wireRecord() });
    await gateway.fetch(infoByIdRequest({ id }), context);
    expect(sentPath()).toBe(path);
  });

  it('D16 sends the criteria of a list', async () => {
    upstreamResponds({ data: detailsReply() });
    const { body } = await gateway.fetch(detailsRequest({ SearchTerm: 'a b', ...EVERY_CRITERION, Limit: 3 }), context);
    expect(body).toHaveLength(1);
    expect(sentPath()).toBe(`/shippings/details?SearchTerm=a%20b&${CRITERIA_QUERY}&Limit=3`);
  });

  it('D16 sends no query string without parameters', async () => {
    upstreamResponds({ data: detailsReply([]) });
    await gateway.fetch(detailsRequest({}), context);
    expect(sentPath()).toBe('/shippings/details');
  });

  it('D16 sends the criteria of a page', async () => {
    upstreamResponds({ data: pagedReply([], { TotalCount: 9, PageNumber: undefined, PageSize: undefined }) });
    const { body } = await gateway.fetch(pagedListRequest({ ...PAGE, SearchTerm: 'x', ...EVERY_CRITERION }), context);
    expect(body).toMatchObject({ totalCount: 9, pageNumber: 2, pageSize: 5 });
    expect(sentPath()).toBe(
      `/shippings/paged?PageNumber=2&PageSize=5&SearchTerm=x&${CRITERIA_QUERY}&SortBy=Status&SortDirection=asc`,
    );
  });

  it('D16 takes its paths from the settings', async () => {
    const configured = gatewayWith({
      EXTERNAL_SHIPPING_SINGLE_PATH: '/one',
      EXTERNAL_SHIPPING_BY_ID_PATH: '/v2/{id}/full',
      EXTERNAL_SHIPPING_DETAILS_PATH: '/list',
      EXTERNAL_SHIPPING_PAGED_PATH: '/page',
    });
    upstreamResponds({ status: 404 });
    await configured.fetch(singleRequest({ Id: 'A' }), context);
    await configured.fetch(infoByIdRequest({ id: 'A' }), context);
    await configured.fetch(detailsRequest({}), context).catch(() => undefined);
    await configured.fetch(pagedListRequest(PAGE), context).catch(() => undefined);
    expect(get.mock.calls.map(([{ path }]) => path.split('?')[0])).toEqual(['/one', '/v2/A/full', '/list', '/page']);
  });

  it('D22 sends the ids of the request, and shares identical calls by operation, identifier and parameters alone', async () => {
    upstreamResponds({ data: detailsReply([]) });
    const { signal } = new AbortController();
    const ownContext = { ...context, signal };
    await gateway.fetch(detailsRequest({ Limit: 1 }), ownContext);
    const [sent] = get.mock.calls[0] ?? [];
    expect(sent).toEqual({ path: expect.any(String), operation: 'details', context: ownContext, cancellation });
    expect(sent?.context).toBe(ownContext);
    expect(execute.mock.calls[0]?.slice(0, 2)).toEqual(['details', 'details [null,{"Limit":1},null]']);
    expect(execute.mock.calls[0]?.[3]).toBe(signal);
  });

  const lookups: [string, () => Promise<unknown>][] = [
    ['single', () => gateway.fetch(singleRequest({ Id: 'A' }), context)],
    ['by-id', () => gateway.fetch(infoByIdRequest({ id: 'A' }), context)],
  ];
  const lists: [string, () => Promise<unknown>][] = [
    ['details', () => gateway.fetch(detailsRequest({}), context)],
    ['paged', () => gateway.fetch(pagedListRequest(PAGE), context)],
  ];

  describe.each(lookups)('%s', (_, send) => {
    it.each<Given>([
      { status: 404, data: 'x' },
      { status: 204, data: undefined },
      { status: 200, data: null },
    ])('D18 finds no match in %j', async (given) => {
      upstreamResponds(given);
      expect(await send()).toEqual({ body: undefined, completeness: COMPLETE, facts: {} });
    });

    it.each<Given>([{ data: undefined }, { data: '' }, { data: [] }, { data: {} }, { data: [wireRecord()] }])(
      'D18 fails with %j',
      async (given) => {
        upstreamResponds(given);
        await expect(send()).rejects.toMatchObject({ reason: 'bad-reply' });
      },
    );
  });

  describe.each(lists)('%s', (_, send) => {
    it.each<Given>([{ data: undefined }, { data: null }, { data: [] }, { data: {} }, { status: 204 }])(
      'D18 D20 fails with %j',
      async (given) => {
        upstreamResponds(given);
        await expect(send()).rejects.toMatchObject({ reason: 'bad-reply' });
      },
    );

    it('D18 404 is a failure', async () => {
      upstreamResponds({ status: 404, data: '' });
      await expect(send()).rejects.toMatchObject({ reason: 'upstream-error' });
    });
  });

  describe.each([...lookups, ...lists])('%s', (_, send) => {
    it.each([
      [301, 'bad-reply'],
      [400, 'upstream-error'],
      [401, 'upstream-error'],
      [429, 'upstream-error'],
      [500, 'upstream-error'],
      [503, 'upstream-error'],
    ])('D18 D20 the status %d is %s', async (status, reason) => {
      upstreamResponds({ status, data: JSON.stringify(wireRecord()) });
      await expect(send()).rejects.toMatchObject({ reason, retryAfterMs: undefined });
    });

    it('D21 keeps the time of Retry-After', async () => {
      upstreamResponds({ status: 503, headers: { 'retry-after': '3' } });
      await expect(send()).rejects.toMatchObject({ retryAfterMs: 3000 });
    });

    it('throws any other error unchanged', async () => {
      const error = new TypeError('odd');
      get.mockRejectedValue(error);
      await expect(send()).rejects.toBe(error);
    });
  });

  it('counts each call by operation and outcome', async () => {
    registry.resetMetrics();
    upstreamResponds({ status: 404 });
    await gateway.fetch(infoByIdRequest({ id: 'A' }), context);
    await gateway.fetch(detailsRequest({}), context).catch(() => undefined);
    const text = await registry.getSingleMetricAsString('external_shipping_call_duration_seconds');
    expect(text).toContain('external_shipping_call_duration_seconds_count{operation="by-id",outcome="success"} 1');
    expect(text).toContain('external_shipping_call_duration_seconds_count{operation="details",outcome="upstream-error"} 1'); // prettier-ignore
  });

  it('has the facts of the call in results and failures', async () => {
    const timed = gatewayWith({ SERVER_TIMING: 'true' });
    upstreamResponds({ data: detailsReply() });
    const { facts } = await timed.fetch(detailsRequest({}), context);
    expect(facts).toEqual({ externalMs: expect.any(Number) });
    upstreamResponds({ status: 500 });
    const failure: unknown = await timed.fetch(detailsRequest({}), context).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ExternalSystemFailure);
    expect(failure).toMatchObject({ reason: 'upstream-error', facts: { externalMs: expect.any(Number) } });
  });
});
