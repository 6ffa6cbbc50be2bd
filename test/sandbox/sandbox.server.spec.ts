import { once } from 'node:events';
import { connect } from 'node:net';
import { FAILURE_SWITCHES } from '../../src/sandbox/failure-switches';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/sandbox.server';
import type { ShippingRecord } from '../../src/sandbox/shipping-record';
import { wireRecord } from '../support/upstream/records';
import { sampleRecord } from './record-samples';

type Parameters = Record<string, string>;

const RECORDS: ShippingRecord[] = [
  ...['A', 'B', 'C', 'D', 'E', 'F'].map((id) => sampleRecord({ id })),
  sampleRecord({ id: 'G', status: null }),
  sampleRecord({
    id: 'H',
    isDeleted: true,
    status: 'delivered',
    createdDate: '2025-06-05T00:00:00.000Z',
    trackingNumber: 'TRK-1',
    modifiedDate: '2025-06-06T10:20:30.000Z',
    modifiedBy: 'a.kowalska',
    shippingItems: [{ id: 'H-1', sku: 'TW-0330', description: '手ぬぐい', quantity: 2, weight: 0.045 }],
  }),
];

const PAGE = { PageNumber: '1', PageSize: '100', SortBy: 'CreatedDate', SortDirection: 'desc' };

const running: Record<string, RunningSandbox> = {};

beforeAll(async () => {
  running.extended = await startSandbox({ port: 0, records: RECORDS, variant: 'extended' });
  running.basic = await startSandbox({ port: 0, records: RECORDS, variant: 'basic' });
});

afterAll(async () => {
  await Promise.all(Object.values(running).map((sandbox) => sandbox.close()));
});

async function get(path: string, parameters: Parameters = {}, variant = 'extended'): Promise<Response> {
  return fetch(`${running[variant]?.url ?? ''}/shippings/${path}?${new URLSearchParams(parameters).toString()}`);
}

describe('D17: responses', () => {
  const summary = {
    ...wireRecord({ ShippingItems: undefined }),
    Id: 'H',
    OrderId: 'ORD-1',
    ShippingAddress: 'Market Street 1',
    TrackingNumber: 'TRK-1',
    Status: 'delivered',
    TotalWeight: 1.5,
    CreatedDate: '2025-06-05T00:00:00.000Z',
    CreatedBy: 'system',
    ModifiedDate: '2025-06-06T10:20:30.000',
    ModifiedBy: 'a.kowalska',
    IsDeleted: true,
  };
  const detailed = {
    ...summary,
    ShippingItems: [{ Id: 'H-1', Sku: 'TW-0330', Description: '手ぬぐい', Quantity: 2, Weight: 0.045 }],
  };

  it.each([
    ['by-id/H', {}],
    ['single', { Id: 'H' }],
    ['single', { TrackingNumber: 'TRK-1' }],
  ])('%s replies the bare record with its items', async (path, parameters) => {
    const response = await get(path, parameters);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual(detailed);
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
  const without = (name: keyof typeof PAGE): Parameters =>
    Object.fromEntries(Object.entries(PAGE).filter(([known]) => known !== name));

  it.each<[string, Parameters, string]>([
    ['details', { searchTerm: 'x' }, 'Unknown parameter searchTerm'],
    ['details', { PageNumber: '1' }, 'Unknown parameter PageNumber'],
    ['details', { ['__proto__']: '1' }, 'Unknown parameter __proto__'],
    ['paged', { ...PAGE, Limit: '1' }, 'Unknown parameter Limit'],
    ['single', { Id: 'A', SearchTerm: 'x' }, 'Unknown parameter SearchTerm'],
    ['by-id/A', { Id: 'A' }, 'Unknown parameter Id'],
    ['details', { SearchTerm: '' }, 'SearchTerm is empty'],
    ['details', { SearchTerm: 'a\u001fb' }, 'SearchTerm holds a control character'],
    ['details', { Status: 'created' }, 'Status must be one of Created, InTransit, Delivered, Cancelled, Unknown'],
    ['details', { Limit: '0' }, 'Limit must be an integer from 1 to 2147483647'],
    ['details', { Limit: '2147483648' }, 'Limit must be an integer from 1 to 2147483647'],
    ['paged', { ...PAGE, PageSize: 'abc' }, 'PageSize must be an integer from 1 to 1000'],
    ['paged', { ...PAGE, PageSize: '1001' }, 'PageSize must be an integer from 1 to 1000'],
    ['paged', { ...PAGE, PageNumber: '0x1' }, 'PageNumber must be an integer from 1 to 2147483647'],
    ['paged', { ...PAGE, PageNumber: '1.0' }, 'PageNumber must be an integer from 1 to 2147483647'],
    ['paged', { ...PAGE, SortBy: 'createddate' }, 'SortBy must be one of CreatedDate, Status, TrackingNumber'],
    ['paged', { ...PAGE, SortDirection: 'DESC' }, 'SortDirection must be one of asc, desc'],
    ['paged', without('PageNumber'), 'PageNumber is required'],
    ['paged', without('PageSize'), 'PageSize is required'],
    ['paged', without('SortBy'), 'SortBy is required'],
    ['paged', without('SortDirection'), 'SortDirection is required'],
    ['details', { FromDate: '2025-06-01' }, 'FromDate must be a date as YYYY-MM-DDThh:mm:ss.sssZ'],
    ['details', { ToDate: '2025-06-01T12:00:00Z' }, 'ToDate must be a date as YYYY-MM-DDThh:mm:ss.sssZ'],
    ['details', { ToDate: '2025-02-30T12:00:00.000Z' }, 'ToDate must be a date as YYYY-MM-DDThh:mm:ss.sssZ'],
    ['details', { ToDate: '2025-02-01T25:00:00.000Z' }, 'ToDate must be a date as YYYY-MM-DDThh:mm:ss.sssZ'],
    ['single', {}, 'One of Id, OrderId, TrackingNumber is required'],
    ['single', { Status: 'Created' }, 'One of Id, OrderId, TrackingNumber is required'],
  ])('%s %j: %s', async (path, parameters, message) => {
    const response = await get(path, parameters);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ Error: message });
  });

  it('refuses a parameter given twice', async () => {
    const response = await fetch(`${running.extended?.url ?? ''}/shippings/details?OrderId=a&OrderId=a`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ Error: 'OrderId is given more than once' });
  });

  it('responds 404 to an unknown path', async () => {
    expect((await get('everything')).status).toBe(404);
  });
});

describe('D30: failure switches', () => {
  it('are the documented ten', () => {
    expect(FAILURE_SWITCHES).toEqual([
      'SIMULATE-500',
      'SIMULATE-503',
      'SIMULATE-NOT-FOUND',
      'SIMULATE-CIRCUIT-OPEN',
      'SIMULATE-TIMEOUT',
      'SIMULATE-RESET',
      'SIMULATE-BAD-JSON',
      'SIMULATE-BAD-SHAPE',
      'SIMULATE-ODD-RECORD',
      'SIMULATE-SLOW',
    ]);
  });

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
    await sandbox.close();
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
    expect((await get('details', { SearchTerm: 'SIMULATE-500', limit: '1' })).status).toBe(400);
  });

  it('a switch in another case or with more text is an ordinary value', async () => {
    expect(await (await get('details', { SearchTerm: 'simulate-500' })).json()).toEqual({ ShippingDetails: [] });
    expect((await get('by-id/SIMULATE-5000')).status).toBe(404);
  });
});

describe('D28: the server', () => {
  it('generates that many records where a number is given', async () => {
    const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', records: 3, variant: 'basic' });
    const query = new URLSearchParams(PAGE).toString();
    const response = await fetch(`${sandbox.url}/shippings/paged?${query}`);
    expect(await response.json()).toMatchObject({ TotalCount: 3 });
    await sandbox.close();
  });

  it('closes although a kept-alive connection is idle', async () => {
    const sandbox = await startSandbox({ port: 0, records: 1, variant: 'basic' });
    const { port } = new URL(sandbox.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET /shippings/by-id/SHP-000001 HTTP/1.1\r\nHost: sandbox\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all([once(socket, 'close'), sandbox.close()]);
  });

  it('reports that its port is taken', async () => {
    const { port } = new URL(running.extended?.url ?? '');
    await expect(startSandbox({ port: Number(port), records: 1, variant: 'basic' })).rejects.toThrow(/EADDRINUSE/);
  });
});
