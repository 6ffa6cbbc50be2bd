import { callContext } from '../../../test/support/units';
import { detailsReply, pagedReply, wireRecord } from '../../../test/support/upstream/records';
import { readSettings } from '../../config/settings';
import { Metrics } from '../../metrics/metrics';
import type { CallContext } from '../model/call-context';
import { COMPLETE } from '../model/completeness';
import { ShippingStatus } from '../model/shipping-status';
import type { PageSorting } from '../model/sorting';
import type { ExternalHttpClient } from './external-http-client';
import { ExternalShippingGateway, type ShippingPageRequest } from './external-shipping.gateway';
import type { Attempt } from './policy/attempt-runner';
import type { CallPolicy } from './policy/call-policy';
import { Cancellation } from './policy/cancellation';

interface Reply {
  readonly status?: number;
  readonly data?: unknown;
  readonly headers?: Record<string, string>;
}

type Execute = (key: string, attempt: Attempt<unknown>, caller?: AbortSignal) => Promise<unknown>;

const EVERY_CRITERION = {
  OrderId: 'ORD 1&2',
  Status: ShippingStatus.InTransit,
  FromDate: new Date('2026-03-01T00:00:00.000Z'),
  ToDate: new Date('2026-03-31T23:59:59.999Z'),
};
const CRITERIA_QUERY =
  'OrderId=ORD%201%262&Status=InTransit&FromDate=2026-03-01T00%3A00%3A00.000Z&ToDate=2026-03-31T23%3A59%3A59.999Z';
const PAGE: ShippingPageRequest = { PageNumber: 2, PageSize: 5 };
const SORTING: PageSorting = { SortBy: 'Status', SortDirection: 'asc' };

describe('ExternalShippingGateway', () => {
  const get = jest.fn<Promise<Required<Reply>>, [path: string, context: CallContext, abandonment: Cancellation]>();
  const execute = jest.fn<ReturnType<Execute>, Parameters<Execute>>();
  const metrics = new Metrics();
  const abandonment = new Cancellation();
  const context = callContext();
  let gateway: ExternalShippingGateway;

  beforeEach(() => {
    get.mockReset();
    execute.mockReset();
    execute.mockImplementation((_, attempt) => attempt(abandonment));
    gateway = gatewayWith({});
  });

  function gatewayWith(env: NodeJS.ProcessEnv): ExternalShippingGateway {
    const client = { get } as unknown as ExternalHttpClient;
    return new ExternalShippingGateway(client, { execute } as unknown as CallPolicy, metrics, readSettings(env));
  }

  const answers = ({ status = 200, data, headers = {} }: Reply): void => {
    get.mockResolvedValue({ status, data, headers });
  };
  const asked = (): unknown => get.mock.calls[0]?.[0];

  it('D16 asks for a single record by the criteria given, in their exact spelling', async () => {
    answers({ data: wireRecord() });
    const answer = await gateway.getShippingSingle({ Id: 'SHP-1', TrackingNumber: 'ä/1', ...EVERY_CRITERION }, context);
    expect(answer).toMatchObject({ body: { id: 'SHP-1' }, completeness: COMPLETE });
    expect(asked()).toBe(`/shippings/single?Id=SHP-1&${CRITERIA_QUERY.replace('&Status', '&TrackingNumber=%C3%A4%2F1&Status')}`); // prettier-ignore
  });

  it('D16 leaves out what is absent, and anything else that is on the object', async () => {
    answers({ data: wireRecord() });
    await gateway.getShippingSingle({ OrderId: 'A', Evil: 'x' } as never, context);
    expect(asked()).toBe('/shippings/single?OrderId=A');
  });

  it.each([
    ['SHP-1', '/shippings/by-id/SHP-1'],
    ['a/../b', '/shippings/by-id/a%2F..%2Fb'],
    ['a?b#c', '/shippings/by-id/a%3Fb%23c'],
    ["$&$1$'", "/shippings/by-id/%24%26%241%24'"],
    ['{id}', '/shippings/by-id/%7Bid%7D'],
    ['//evil.example', '/shippings/by-id/%2F%2Fevil.example'],
  ])('D9 the identifier %s stays within its path', async (id, path) => {
    answers({ data: wireRecord() });
    await gateway.getShippingInfoById(id, context);
    expect(asked()).toBe(path);
  });

  it('D16 asks for a list', async () => {
    answers({ data: detailsReply() });
    const { body } = await gateway.getShippingDetails({ SearchTerm: 'a b', ...EVERY_CRITERION, Limit: 3 }, context);
    expect(body).toHaveLength(1);
    expect(asked()).toBe(`/shippings/details?SearchTerm=a%20b&${CRITERIA_QUERY}&Limit=3`);
  });

  it('D16 asks for a list without parameters', async () => {
    answers({ data: detailsReply([]) });
    await gateway.getShippingDetails({}, context);
    expect(asked()).toBe('/shippings/details');
  });

  it('D16 asks for a page', async () => {
    answers({ data: pagedReply([], { TotalCount: 9, PageNumber: undefined, PageSize: undefined }) });
    const { body } = await gateway.getShippingPagedList(
      { ...PAGE, SearchTerm: 'x', ...EVERY_CRITERION },
      SORTING,
      context,
    );
    expect(body).toMatchObject({ totalCount: 9, pageNumber: 2, pageSize: 5 });
    expect(asked()).toBe(
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
    answers({ status: 404 });
    await configured.getShippingSingle({ Id: 'A' }, context);
    await configured.getShippingInfoById('A', context);
    await configured.getShippingDetails({}, context).catch(() => undefined);
    await configured.getShippingPagedList(PAGE, SORTING, context).catch(() => undefined);
    expect(get.mock.calls.map(([path]) => path.split('?')[0])).toEqual(['/one', '/v2/A/full', '/list', '/page']);
  });

  it('D22 sends the ids of the caller, and shares identical calls by operation, path and query alone', async () => {
    answers({ data: detailsReply([]) });
    const caller = new AbortController().signal;
    const asking = { ...context, signal: caller };
    await gateway.getShippingDetails({ Limit: 1 }, asking);
    expect(get.mock.calls[0]?.[1]).toBe(asking);
    expect(get.mock.calls[0]?.[2]).toBe(abandonment);
    expect(execute.mock.calls[0]?.[0]).toBe('details /shippings/details?Limit=1');
    expect(execute.mock.calls[0]?.[2]).toBe(caller);
  });

  const lookups: [string, () => Promise<unknown>][] = [
    ['getShippingSingle', () => gateway.getShippingSingle({ Id: 'A' }, context)],
    ['getShippingInfoById', () => gateway.getShippingInfoById('A', context)],
  ];
  const lists: [string, () => Promise<unknown>][] = [
    ['getShippingDetails', () => gateway.getShippingDetails({}, context)],
    ['getShippingPagedList', () => gateway.getShippingPagedList(PAGE, SORTING, context)],
  ];

  describe.each(lookups)('%s', (_, ask) => {
    it.each<Reply>([
      { status: 404, data: 'x' },
      { status: 204, data: undefined },
      { status: 200, data: null },
    ])('D18 finds nothing in %j', async (reply) => {
      answers(reply);
      expect(await ask()).toBeUndefined();
    });

    it.each<Reply>([{ data: undefined }, { data: '' }, { data: [] }, { data: {} }, { data: [wireRecord()] }])(
      'D18 has failed with %j',
      async (reply) => {
        answers(reply);
        await expect(ask()).rejects.toMatchObject({ reason: 'bad-reply', retryable: false });
      },
    );
  });

  describe.each(lists)('%s', (_, ask) => {
    it.each<Reply>([{ data: undefined }, { data: null }, { data: [] }, { data: {} }, { status: 204 }])(
      'D18 D20 has failed with %j',
      async (reply) => {
        answers(reply);
        await expect(ask()).rejects.toMatchObject({ reason: 'bad-reply', retryable: false });
      },
    );

    it('D18 404 is a failure', async () => {
      answers({ status: 404, data: '' });
      await expect(ask()).rejects.toMatchObject({ reason: 'upstream-error', retryable: false });
    });
  });

  describe.each([...lookups, ...lists])('%s', (_, ask) => {
    it.each([
      [301, 'bad-reply'],
      [400, 'upstream-error'],
      [401, 'upstream-error'],
      [429, 'upstream-error'],
      [500, 'upstream-error'],
      [503, 'upstream-error'],
    ])('D18 D20 the status %d is %s', async (status, reason) => {
      answers({ status, data: JSON.stringify(wireRecord()) });
      await expect(ask()).rejects.toMatchObject({ reason, retryAfterMs: undefined });
    });

    it('D21 passes on when to try again', async () => {
      answers({ status: 503, headers: { 'retry-after': '3' } });
      await expect(ask()).rejects.toMatchObject({ retryAfterMs: 3000 });
    });

    it('lets any other error pass', async () => {
      const error = new TypeError('odd');
      get.mockRejectedValue(error);
      await expect(ask()).rejects.toBe(error);
    });
  });

  it('counts each call by operation and outcome', async () => {
    metrics.registry.resetMetrics();
    answers({ status: 404 });
    await gateway.getShippingInfoById('A', context);
    await gateway.getShippingDetails({}, context).catch(() => undefined);
    const text = await metrics.registry.getSingleMetricAsString('external_shipping_call_duration_seconds');
    expect(text).toContain('external_shipping_call_duration_seconds_count{operation="by-id",outcome="success"} 1');
    expect(text).toContain('external_shipping_call_duration_seconds_count{operation="details",outcome="upstream-error"} 1'); // prettier-ignore
  });
});
