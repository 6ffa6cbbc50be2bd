import { Logger } from '@nestjs/common';
import { sampleRecord } from '../../test/sandbox/record-samples';
import { holdLongWaits } from '../../test/support/held-waits';
import { RunningService } from '../../test/support/service';
import { useStarted } from '../../test/support/started';
import { startSandbox } from './start-sandbox';

type Parameters = Record<string, string>;

const DATES = { CreatedDate: '2025-06-05T00:00:00.000Z', ModifiedDate: '2025-06-06T10:20:30.000' };
const DELETED = { IsDeleted: true, ModifiedBy: 'a.kowalska' };
const H = { Id: 'H', Status: 'delivered', TrackingNumber: 'TRK-1', ...DATES, ...DELETED };
const ITEM = { Id: 'H-1', Sku: 'TW-0330', Description: '手ぬぐい', Quantity: 2, Weight: 0.045 };
const RECORDS = [
  ...['A', 'B', 'C', 'D', 'E', 'F'].map((Id) => sampleRecord({ Id })),
  sampleRecord({ Id: 'G', Status: undefined }),
  sampleRecord({ ...H, ShippingItems: [ITEM] }),
];

const PAGE = { PageNumber: '1', PageSize: '100', SortBy: 'CreatedDate', SortDirection: 'desc' };

const running = {
  extended: useStarted(() => startSandbox({ port: 0, records: RECORDS, variant: 'extended' })),
  basic: useStarted(() => startSandbox({ port: 0, records: RECORDS, variant: 'basic' })),
};

async function get(
  path: string,
  parameters: Parameters = {},
  variant: keyof typeof running = 'extended',
): Promise<Response> {
  const url = await running[variant]().getUrl();
  return fetch(`${url}/shippings/${path}?${new URLSearchParams(parameters).toString()}`);
}

describe('D17: responses', () => {
  const { ShippingItems, ...summary } = sampleRecord({ ...H, ShippingItems: [ITEM] });

  it.each([
    ['by-id/H', {}],
    ['single', { Id: 'H' }],
  ])('%s returns the bare record with its items', async (path, parameters) => {
    const response = await get(path, parameters);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ ...summary, ShippingItems });
  });

  it('details returns records without items in ShippingDetails', async () => {
    const response = await get('details', { SearchTerm: 'TRK-1' }, 'basic');
    expect(await response.json()).toEqual({ ShippingDetails: [summary] });
  });

  it.each([1, 3])('details returns %i where that is the Limit', async (count) => {
    const body = (await (await get('details', { Limit: String(count) })).json()) as { ShippingDetails: unknown[] };
    expect(body.ShippingDetails).toHaveLength(count);
  });

  it('paged returns records without items, and the paging values', async () => {
    const response = await get('paged', { ...PAGE, PageSize: '1' }, 'basic');
    const paging = { TotalCount: 8, PageNumber: 1, PageSize: 1, TotalPages: 8 };
    const expected = { Items: [summary], ...paging, HasPreviousPage: false, HasNextPage: true };
    expect(await response.json()).toEqual(expected);
  });

  it('leaves Status out where there is none, and dates null', async () => {
    const body = await (await get('by-id/G')).json();
    expect(body).not.toHaveProperty('Status');
    expect(body).toMatchObject({ ModifiedDate: null, ModifiedBy: null, IsDeleted: false, ShippingItems: [] });
  });

  it.each([
    ['by-id/nobody', {}],
    ['single', { Id: 'A', OrderId: 'ORD-2' }],
  ])('%s %j is 404 with a small JSON body where nothing matches', async (path, parameters) => {
    const response = await get(path, parameters);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ Error: 'No such shipment' });
  });
});

describe('D30: errors on demand', () => {
  it('SIMULATE-503 responds 503 with Retry-After', async () => {
    const { status, headers } = await get('by-id/SIMULATE-503');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('SIMULATE-TIMEOUT gets no response; the sandbox still closes', async () => {
    const sandbox = await startSandbox({ port: 0, records: 1, variant: 'extended' });
    const url = await sandbox.getUrl();
    const hanging = fetch(`${url}/shippings/by-id/SIMULATE-TIMEOUT`).then(String, () => 'broken off');
    const responded = fetch(`${url}/shippings/by-id/SHP-000001`).then(({ status }) => status);
    expect(await Promise.race([hanging, responded])).toBe(200);
    await Promise.all([sandbox.close(), sandbox.close()]);
    expect(await hanging).toBe('broken off');
  });

  it('a switch in another case or longer is an ordinary value', async () => {
    expect(await (await get('details', { SearchTerm: 'simulate-500' })).json()).toEqual({ ShippingDetails: [] });
    expect((await get('by-id/SIMULATE-5000')).status).toBe(404);
  });
});

describe('D28: the application', () => {
  it('listens on the loopback address alone, because it has no authentication', () => {
    expect(running.extended().getHttpServer().address()).toMatchObject({ address: '127.0.0.1' });
  });

  it('leaves the log of the service as it is', async () => {
    const service = await RunningService.start({ SANDBOX_RECORDS: '1' });
    new Logger('Team').warn('still logged');
    await service.request('GetShippingDetails');
    await service.close();
    expect(service.log).toContainEqual(expect.stringContaining('"context":"Team","msg":"still logged"'));
    expect(service.requestLog).toHaveLength(1);
  });

  it('stops after the service has drained', async () => {
    const service = await RunningService.start({ SANDBOX_RECORDS: '1' });
    let closed: Promise<void> | undefined;
    const { spy } = holdLongWaits((ms) => {
      if (ms === 1_500) closed = service.close();
      return ms === 1_500;
    });
    const response = await service.request('GetShippingInfoById/SIMULATE-SLOW');
    await closed;
    spy.mockRestore();
    expect([response.status, closed !== undefined]).toEqual([200, true]);
  });
});
