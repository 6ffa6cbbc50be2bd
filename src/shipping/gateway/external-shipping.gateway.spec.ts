import { Registry } from 'prom-client';
import { callContext } from '../../../test/support/units';
import { detailsReply, pagedReply, wireRecord } from '../../../test/support/upstream/records';
import { readSettings } from '../../config/settings';
import type { Attempt } from '../../resilience/attempt-runner';
import type { CallPolicy } from '../../resilience/call-policy';
import { Cancellation } from '../../resilience/cancellation';
import { ShippingStatus } from '../model/shipping-status';
import { detailsRequest } from '../queries/get-shipping-details/get-shipping-details.query';
import { infoByIdRequest } from '../queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { pagedListRequest } from '../queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { singleRequest } from '../queries/get-shipping-single/get-shipping-single.query';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { GatewayMetrics } from './gateway.metrics';
import { StandardProtocol } from './protocol/standard-protocol';
import type { ExternalHttpClient, ExternalRequest } from './transport/external-http-client';

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

  const gatewayWith = (env: NodeJS.ProcessEnv): ExternalShippingGateway => {
    const client = { get } as unknown as ExternalHttpClient;
    const policy = { execute } as unknown as CallPolicy;
    return new ExternalShippingGateway(client, new StandardProtocol(readSettings(env)), policy, metrics);
  };
  const gateway = gatewayWith({});

  beforeEach(() => {
    get.mockReset();
    execute.mockReset();
    execute.mockImplementation((_operation, _key, attempt) => attempt(cancellation));
  });

  const upstreamResponds = ({ status = 200, data, headers = {} }: Given): void => {
    get.mockResolvedValue({ status, data, headers });
  };
  const byId = (id: string): Promise<unknown> => gateway.record(infoByIdRequest({ id }), context);
  const details = (params = {}): Promise<unknown> => gateway.list(detailsRequest(params), context);

  it.each<[string, (of: ExternalShippingGateway) => Promise<unknown>]>([
    [
      `/shippings/single?Id=SHP-1&${CRITERIA_QUERY.replace('&Status', '&TrackingNumber=%C3%A4%2F1&Status')}`,
      (of) => of.record(singleRequest({ Id: 'SHP-1', TrackingNumber: 'ä/1', ...EVERY_CRITERION }), context),
    ],
    [
      '/shippings/single?OrderId=A',
      (of) => of.record(singleRequest({ OrderId: 'A', Other: 'no parameter' } as never), context),
    ],
    [
      `/shippings/details?SearchTerm=a%20b&${CRITERIA_QUERY}&Limit=3`,
      (of) => of.list(detailsRequest({ SearchTerm: 'a b', ...EVERY_CRITERION, Limit: 3 }), context),
    ],
    ['/shippings/details', (of) => of.list(detailsRequest({}), context)],
    [
      `/shippings/paged?PageNumber=2&PageSize=5&SearchTerm=x&${CRITERIA_QUERY}&SortBy=Status&SortDirection=asc`,
      (of) => of.page(pagedListRequest({ ...PAGE, SearchTerm: 'x', ...EVERY_CRITERION }), context),
    ],
  ])('D16 sends %s', async (path, send) => {
    upstreamResponds({ data: { ...wireRecord(), ...detailsReply([]), ...pagedReply([]) } });
    await send(gateway);
    expect(get.mock.calls[0]?.[0].path).toBe(path);
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
    await byId(id);
    expect(get.mock.calls[0]?.[0].path).toBe(path);
  });

  it('D16 takes its paths from the settings', async () => {
    const configured = gatewayWith({
      EXTERNAL_SHIPPING_SINGLE_PATH: '/one',
      EXTERNAL_SHIPPING_BY_ID_PATH: '/v2/{id}/full',
      EXTERNAL_SHIPPING_DETAILS_PATH: '/list',
      EXTERNAL_SHIPPING_PAGED_PATH: '/page',
    });
    upstreamResponds({ status: 404 });
    await configured.record(singleRequest({ Id: 'A' }), context);
    await configured.record(infoByIdRequest({ id: 'A' }), context);
    await configured.list(detailsRequest({}), context).catch(() => undefined);
    await configured.page(pagedListRequest(PAGE), context).catch(() => undefined);
    expect(get.mock.calls.map(([{ path }]) => path.split('?')[0])).toEqual(['/one', '/v2/A/full', '/list', '/page']);
  });

  it('D22 sends the ids of the request, and shares identical calls by operation, identifier and parameters alone', async () => {
    upstreamResponds({ data: detailsReply([]) });
    const { signal } = new AbortController();
    const ownContext = { ...context, signal };
    await gateway.list(detailsRequest({ Limit: 1 }), ownContext);
    expect(get.mock.calls).toEqual([
      [{ path: expect.any(String), operation: 'details', context: ownContext, cancellation }],
    ]);
    expect(execute.mock.calls[0]?.slice(0, 2)).toEqual(['details', 'details [null,{"Limit":1},null]']);
    expect(execute.mock.calls[0]?.[3]).toBe(signal);
  });

  it('D21 keeps the time of Retry-After', async () => {
    upstreamResponds({ status: 503, headers: { 'retry-after': '3' } });
    await expect(details()).rejects.toMatchObject({ reason: 'upstream-error', retryAfterMs: 3000 });
  });

  it('throws any other error unchanged', async () => {
    const error = new TypeError('odd');
    get.mockRejectedValue(error);
    await expect(details()).rejects.toBe(error);
  });

  it('counts each call by operation and outcome', async () => {
    registry.resetMetrics();
    upstreamResponds({ status: 404 });
    await byId('A');
    await details().catch(() => undefined);
    const text = await registry.getSingleMetricAsString('external_shipping_call_duration_seconds');
    expect(text).toContain('external_shipping_call_duration_seconds_count{operation="by-id",outcome="success"} 1');
    expect(text).toContain('external_shipping_call_duration_seconds_count{operation="details",outcome="upstream-error"} 1'); // prettier-ignore
  });
});
