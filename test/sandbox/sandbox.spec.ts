import '../support/silent-nest';
import { Logger } from '@nestjs/common';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/start-sandbox';
import { holdLongWaits } from '../support/held-waits';
import { RunningService } from '../support/service';
import { wireRecord } from '../support/upstream/records';
import { sampleRecord } from './record-samples';

type Parameters = Record<string, string>;

const H = {
  Id: 'H',
  Status: 'delivered',
  CreatedDate: '2025-06-05T00:00:00.000Z',
  TrackingNumber: 'TRK-1',
  ModifiedDate: '2025-06-06T10:20:30.000',
  ModifiedBy: 'a.kowalska',
  IsDeleted: true,
};
const ITEM = { Id: 'H-1', Sku: 'TW-0330', Description: '手ぬぐい', Quantity: 2, Weight: 0.045 };
const RECORDS = [
  ...['A', 'B', 'C', 'D', 'E', 'F'].map((Id) => sampleRecord({ Id })),
  sampleRecord({ Id: 'G', Status: undefined }),
  sampleRecord({ ...H, ShippingItems: [ITEM] }),
];

const PAGE = { PageNumber: '1', PageSize: '100', SortBy: 'CreatedDate', SortDirection: 'desc' };

const running: Record<string, RunningSandbox> = {};

beforeAll(async () => {
  running.extended = await startSandbox({ port: 0, records: RECORDS, variant: 'extended' });
  running.basic = await startSandbox({ port: 0, records: RECORDS, variant: 'basic' });
});

afterAll(async () => {
  await Promise.all(Object.values(running).map((sandbox) => sandbox.stop()));
});

async function get(path: string, parameters: Parameters = {}, variant = 'extended'): Promise<Response> {
  return fetch(`${running[variant]?.url ?? ''}/shippings/${path}?${new URLSearchParams(parameters).toString()}`);
}

describe('D17: responses', () => {
  const summary = {
    ...wireRecord({ ShippingItems: undefined }),
    OrderId: 'ORD-1',
    ShippingAddress: 'Market Street 1',
    ...H,
  };

  it.each([
    ['by-id/H', {}],
    ['single', { Id: 'H' }],
    ['single', { TrackingNumber: 'TRK-1' }],
  ])('%s replies the bare record with its items', async (path, parameters) => {
    const response = await get(path, parameters);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ ...summary, ShippingItems: [ITEM] });
  });

  it('details returns its records, without items, in ShippingDetails', async () => {
    const response = await get('details', { SearchTerm: 'TRK-1' }, 'basic');
    expect(await response.json()).toEqual({ ShippingDetails: [summary] });
  });

  it('paged returns its records, without items, in Items, with the paging values', async () => {
    const response = await get('paged', { ...PAGE, PageSize: '1' }, 'basic');
    expect(await response.json()).toEqual({
      Items: [summary],
      TotalCount: 8,
      PageNumber: 1,
      PageSize: 1,
      TotalPages: 8,
      HasPreviousPage: false,
      HasNextPage: true,
    });
  });

  it('leaves Status out where a record has none, and gives null for a change that never was', async () => {
    const body = await (await get('by-id/G')).json();
    expect(body).not.toHaveProperty('Status');
    expect(body).toMatchObject({ ModifiedDate: null, ModifiedBy: null, IsDeleted: false, ShippingItems: [] });
  });

  it('a middle page has both neighbours, a page beyond the end is empty with the right total', async () => {
    const middle = await (await get('paged', { ...PAGE, PageNumber: '2', PageSize: '3' })).json();
    expect(middle).toMatchObject({ TotalCount: 7, TotalPages: 3, HasPreviousPage: true, HasNextPage: true });
    const beyond = await (await get('paged', { ...PAGE, PageNumber: '2147483647', PageSize: '3' })).json();
    expect(beyond).toEqual({
      Items: [],
      TotalCount: 7,
      PageNumber: 2_147_483_647,
      PageSize: 3,
      TotalPages: 3,
      HasPreviousPage: true,
      HasNextPage: false,
    });
  });

  it.each([
    ['by-id/nobody', {}],
    [`by-id/${'x'.repeat(500)}`, {}],
    ['single', { Id: 'a' }],
    ['single', { Id: 'A', OrderId: 'ORD-2' }],
  ])('%s %j is 404 with a small JSON body where nothing matches', async (path, parameters) => {
    const response = await get(path, parameters);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ Error: 'No such shipment' });
  });
});

describe('strict parameters: 400 naming the fault', () => {
  const without = (name: string): Parameters =>
    Object.fromEntries(Object.entries(PAGE).filter(([known]) => known !== name));

  it.each<[string, Parameters, string]>([
    ['details', { SearchTerm: '' }, 'SearchTerm'],
    ['details', { SearchTerm: 'a\u001fb' }, 'SearchTerm'],
    ['details', { Status: 'created' }, 'Status'],
    ['details', { Limit: '0' }, 'Limit'],
    ['details', { Limit: '2147483648' }, 'Limit'],
    ['paged', { ...PAGE, PageSize: 'abc' }, 'PageSize'],
    ['paged', { ...PAGE, PageSize: '1001' }, 'PageSize'],
    ['paged', { ...PAGE, PageNumber: '0x1' }, 'PageNumber'],
    ['paged', { ...PAGE, PageNumber: '1.0' }, 'PageNumber'],
    ['paged', { ...PAGE, SortBy: 'createddate' }, 'SortBy'],
    ['paged', { ...PAGE, SortDirection: 'DESC' }, 'SortDirection'],
    ...Object.keys(PAGE).map((name): [string, Parameters, string] => ['paged', without(name), name]),
    ['details', { FromDate: '2025-06-01' }, 'FromDate'],
    ['details', { ToDate: '2025-06-01T12:00:00Z' }, 'ToDate'],
    ['details', { ToDate: '2025-02-30T12:00:00.000Z' }, 'ToDate'],
    ['details', { ToDate: '2025-02-01T25:00:00.000Z' }, 'ToDate'],
    ['single', { Status: 'Created' }, 'Id, OrderId or TrackingNumber'],
  ])('%s %j: %s', async (path, parameters, fault) => {
    const response = await get(path, parameters);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(fault);
  });

  it('refuses a parameter given twice', async () => {
    const response = await fetch(`${running.extended?.url ?? ''}/shippings/details?OrderId=a&OrderId=a`);
    expect(response.status).toBe(400);
  });

  it('responds 404 to an unknown path', async () => {
    expect((await get('everything')).status).toBe(404);
  });
});

describe('D30: errors on demand', () => {
  it('SIMULATE-503 responds 503 with Retry-After', async () => {
    const { status, headers } = await get('by-id/SIMULATE-503');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('SIMULATE-ODD-RECORD lists malformed records among valid ones', async () => {
    const response = await get('paged', { ...PAGE, SearchTerm: 'SIMULATE-ODD-RECORD' });
    const odd = { Id: 'SHP-ODD-1', OrderId: { Number: 1 }, TotalWeight: 'heavy', CreatedDate: 'yesterday' };
    expect(await response.json()).toMatchObject({
      Items: [{ Id: 'SHP-000001' }, odd, expect.not.objectContaining({ Id: expect.anything() }), { Id: 'SHP-000002' }],
      TotalCount: 4,
      TotalPages: 1,
      HasNextPage: false,
    });
  });

  it('SIMULATE-TIMEOUT gets no response, and the sandbox still closes', async () => {
    const sandbox = await startSandbox({ port: 0, records: 1, variant: 'extended' });
    const root = `${sandbox.url}/shippings`;
    const text = 'SIMULATE-TIMEOUT';
    const page = new URLSearchParams({ ...PAGE, SearchTerm: text }).toString();
    const paths = [`by-id/${text}`, `single?Id=${text}`, `details?OrderId=${text}`, `paged?${page}`];
    const hanging = paths.map((path) => fetch(`${root}/${path}`).then(String, () => 'broken off'));
    const answered = await Promise.race([...hanging, fetch(`${root}/by-id/SHP-000001`).then(({ status }) => status)]);
    expect(answered).toBe(200);
    await sandbox.stop();
    expect(await Promise.all(hanging)).toEqual(paths.map(() => 'broken off'));
  });

  it('SIMULATE-TIMEOUT lets a client go that has had enough', async () => {
    const abort = new AbortController();
    const url = `${running.extended?.url ?? ''}/shippings/by-id/SIMULATE-TIMEOUT`;
    const hanging = fetch(url, { signal: abort.signal });
    abort.abort();
    await expect(hanging).rejects.toThrow('aborted');
    expect((await get('by-id/A')).status).toBe(200);
  });

  it('bad parameters are refused before a switch is looked at', async () => {
    expect((await get('details', { SearchTerm: 'SIMULATE-500', Limit: '0' })).status).toBe(400);
  });

  it('a switch in another case or with more text is an ordinary value', async () => {
    expect(await (await get('details', { SearchTerm: 'simulate-500' })).json()).toEqual({ ShippingDetails: [] });
    expect((await get('by-id/SIMULATE-5000')).status).toBe(404);
  });
});

describe('D28: the application', () => {
  it('ends connections that are idle when it stops, and may be stopped twice', async () => {
    const sandbox = await startSandbox({ port: 0, records: 3, variant: 'basic' });
    const query = new URLSearchParams(PAGE).toString();
    const response = await fetch(`${sandbox.url}/shippings/paged?${query}`);
    expect(await response.json()).toMatchObject({ TotalCount: 3 });
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    await expect(fetch(sandbox.url)).rejects.toThrow();
  });

  it('reports that its port is taken', async () => {
    const { port } = new URL(running.extended?.url ?? '');
    await expect(startSandbox({ port: Number(port), records: 1, variant: 'basic' })).rejects.toThrow(/EADDRINUSE/);
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
    const { restore } = holdLongWaits((ms) => {
      if (ms === 1_500) closed = service.close();
      return ms === 1_500;
    });
    const response = await service.request('GetShippingInfoById/SIMULATE-SLOW');
    await closed;
    restore();
    expect([response.status, closed !== undefined]).toEqual([200, true]);
  });
});
