import { once } from 'node:events';
import { connect } from 'node:net';
import { FAILURE_SWITCHES } from '../../src/sandbox/failure-switches';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/sandbox.server';
import type { ShippingRecord } from '../../src/sandbox/shipping-record';
import { holdLongWaits } from '../support/held-waits';
import { wireRecord } from '../support/upstream/records';
import { sampleRecord } from './record-samples';

type Parameters = Record<string, string>;

const RECORDS: ShippingRecord[] = [
  sampleRecord({ id: 'A', status: 'created', shippingAddress: 'Große Straße Å1', trackingNumber: 'TRK-9' }),
  sampleRecord({
    id: 'B',
    status: 'CREATED',
    orderId: 'ORD-Ä',
    shippingAddress: 'Köln'.normalize('NFD'),
    trackingNumber: 'TRK-7',
  }),
  sampleRecord({ id: 'C', status: 'in_transit', shippingAddress: '100% Road_1', trackingNumber: 'TRK-8' }),
  sampleRecord({ id: 'D', status: 'Delivered', createdDate: '2025-06-02T00:00:00.000Z', trackingNumber: 'TRK-5' }),
  sampleRecord({ id: 'E', status: 'cancelled', createdDate: '2025-06-03T00:00:00.000Z', trackingNumber: 'trk-5' }),
  sampleRecord({ id: 'F', status: 'on_hold', createdDate: '2025-06-03T00:00:00.001Z', trackingNumber: 'TRK-3' }),
  sampleRecord({ id: 'G', status: null, createdDate: '2025-06-04T00:00:00.000Z', trackingNumber: 'TRK-3' }),
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

/** What tests look at in a reply, whichever operation it came from. */
interface Body {
  Id: string;
  IsDeleted: boolean;
  ShippingDetails: { Id?: string }[];
  Items: { Id?: string }[];
  TotalCount: number;
}

async function bodyOf(response: Promise<Response>): Promise<Body> {
  return (await (await response).json()) as Body;
}

function idsOf(records: { Id?: string }[]): string {
  return records.map(({ Id }) => Id).join('');
}

/** The Ids of an unpaged list, in its order. */
async function listed(parameters: Parameters, variant = 'extended'): Promise<string> {
  return idsOf((await bodyOf(get('details', parameters, variant))).ShippingDetails);
}

/** The Ids of a page, in its order. */
async function paged(parameters: Parameters, variant = 'extended'): Promise<string> {
  return idsOf((await bodyOf(get('paged', { ...PAGE, ...parameters }, variant))).Items);
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

describe('D29: status filter', () => {
  it.each([
    ['Created', 'AB', 'AB'],
    ['InTransit', 'C', 'C'],
    ['Delivered', 'D', 'HD'],
    ['Cancelled', 'E', 'E'],
    ['Unknown', 'GF', 'GF'],
  ])('Status=%s finds %s in extended and %s in basic', async (Status, extended, basic) => {
    expect(await listed({ Status })).toBe(extended);
    expect(await paged({ Status })).toBe(extended);
    expect(await listed({ Status }, 'basic')).toBe(basic);
    expect(await paged({ Status }, 'basic')).toBe(basic);
  });
});

describe('D29: filters', () => {
  it('the order id is exact and minds case', async () => {
    expect(await listed({ OrderId: 'ORD-Ä' })).toBe('B');
    expect(await listed({ OrderId: 'ORD-ä' })).toBe('');
    expect(await listed({ OrderId: 'ORD-' })).toBe('');
    expect(await paged({ OrderId: 'ORD-Ä' })).toBe('B');
  });

  it('both bounds of the dates are included', async () => {
    const range = { FromDate: '2025-06-02T00:00:00.000Z', ToDate: '2025-06-03T00:00:00.000Z' };
    expect(await listed(range)).toBe('ED');
    expect(await paged(range)).toBe('ED');
    expect(await listed({ FromDate: '2025-06-03T00:00:00.001Z' })).toBe('GF');
    expect(await listed({ ToDate: '2025-06-02T23:59:59.999Z' })).toBe('DABC');
  });

  it('filters combine with AND', async () => {
    expect(await listed({ Status: 'Created', OrderId: 'ORD-1', SearchTerm: 'trk' })).toBe('A');
    expect(await paged({ Status: 'Created', ToDate: '2025-01-01T00:00:00.000Z' })).toBe('');
  });
});

describe('D29: search', () => {
  it.each([
    ['the address', 'Road', 'C', 'C'],
    ['the tracking number', 'TRK-9', 'A', 'A'],
    ['the order id, in extended only', 'ORD-Ä', 'B', ''],
    ['the address ignoring case, in extended only', 'rOAD', 'C', ''],
    ['the order id ignoring case, in extended only', 'ord-ä', 'B', ''],
    ['letters beyond ASCII ignoring case, in extended only', 'GROSSE STRASSE', 'A', ''],
    ['letters beyond ASCII as they are', 'Große', 'A', 'A'],
    ['tracking numbers by case, in basic only', 'trk-5', 'ED', 'E'],
    ['% as a literal', '0%', 'C', 'C'],
    ['% as no wildcard', '1%R', '', ''],
    ['_ as a literal', 'd_1', 'C', 'C'],
    ['_ as no wildcard', 'Stre_t', '', ''],
    ['a quote as a literal', "' OR '1'='1", '', ''],
    ['composed letters in a decomposed address', 'Köln', 'B', 'B'],
    ['decomposed letters in a composed address', 'Å1'.normalize('NFD'), 'A', 'A'],
    ['nothing across two fields', '1TRK', '', ''],
  ])('looks for %s: %j', async (_rule, SearchTerm, extended, basic) => {
    expect(await listed({ SearchTerm })).toBe(extended);
    expect(await paged({ SearchTerm })).toBe(extended);
    expect(await listed({ SearchTerm }, 'basic')).toBe(basic);
    expect(await paged({ SearchTerm }, 'basic')).toBe(basic);
  });
});

describe('D29: soft-deleted records', () => {
  it('are left out of lists and their totals in extended, and included in basic', async () => {
    expect(await listed({})).toBe('GFEDABC');
    expect(await listed({}, 'basic')).toBe('HGFEDABC');
    expect((await bodyOf(get('paged', PAGE))).TotalCount).toBe(7);
    expect((await bodyOf(get('paged', PAGE, 'basic'))).TotalCount).toBe(8);
  });

  it.each(['extended', 'basic'])('are found by both single lookups in %s', async (variant) => {
    expect((await bodyOf(get('by-id/H', {}, variant))).IsDeleted).toBe(true);
    expect((await bodyOf(get('single', { TrackingNumber: 'TRK-1' }, variant))).Id).toBe('H');
  });
});

describe('D29: sorting, ties broken by Id', () => {
  it.each([
    ['CreatedDate', 'desc', 'GFEDABC'],
    ['CreatedDate', 'asc', 'ABCDEFG'],
    ['Status', 'asc', 'EABDCFG'],
    ['Status', 'desc', 'FGCDABE'],
    ['TrackingNumber', 'asc', 'FGDBCAE'],
    ['TrackingNumber', 'desc', 'EACBDFG'],
  ])('by %s %s', async (SortBy, SortDirection, expected) => {
    expect(await paged({ SortBy, SortDirection })).toBe(expected);
    let walked = '';
    for (let page = 1; page <= 4; page += 1) {
      walked += await paged({ SortBy, SortDirection, PageNumber: String(page), PageSize: '2' });
    }
    expect(walked).toBe(expected);
  });
});

describe('D29: the unpaged list', () => {
  const many = Array.from({ length: 101 }, (_, index) => sampleRecord({ id: `R${index}` }));

  it.each([
    ['extended', {}, 100],
    ['basic', {}, 101],
    ['extended', { Limit: '101' }, 101],
    ['basic', { Limit: '2' }, 2],
    ['extended', { Limit: '2147483647' }, 101],
  ] as const)('%s with %j replies %i of 101 records', async (variant, parameters, count) => {
    const sandbox = await startSandbox({ port: 0, records: many, variant });
    try {
      const query = new URLSearchParams(parameters).toString();
      const body = await bodyOf(fetch(`${sandbox.url}/shippings/details?${query}`));
      expect(body.ShippingDetails).toHaveLength(count);
    } finally {
      await sandbox.close();
    }
  });

  it('is cut after the newest, ties by Id', async () => {
    expect(await listed({ Limit: '6' })).toBe('GFEDAB');
  });
});

describe('D11: the single lookup', () => {
  it.each([
    [{ OrderId: 'ORD-1', Status: 'Created' }, 'A'],
    [{ OrderId: 'ORD-1' }, 'H'],
    [{ OrderId: 'ORD-1', ToDate: '2025-06-01T12:00:00.000Z' }, 'A'],
    [{ OrderId: 'ORD-1', Status: 'Unknown' }, 'G'],
    [{ TrackingNumber: 'TRK-3', ToDate: '2025-06-03T23:59:59.999Z' }, 'F'],
    [{ TrackingNumber: 'TRK-3', FromDate: '2025-06-04T00:00:00.000Z' }, 'G'],
    [{ Id: 'D', OrderId: 'ORD-1', TrackingNumber: 'TRK-5', Status: 'Delivered' }, 'D'],
  ])('%j finds %s: all criteria hold, the newest, then the smallest Id', async (criteria, id) => {
    expect((await bodyOf(get('single', criteria as Parameters))).Id).toBe(id);
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
  /** Every place of every operation where a switch may stand. */
  const places: [string, (text: string) => Promise<Response>][] = [
    ['by-id path', (text) => get(`by-id/${text}`)],
    ['single Id', (text) => get('single', { Id: text })],
    ['single OrderId', (text) => get('single', { OrderId: text })],
    ['single TrackingNumber', (text) => get('single', { TrackingNumber: text, Status: 'Created' })],
    ['details OrderId', (text) => get('details', { OrderId: text })],
    ['details SearchTerm', (text) => get('details', { SearchTerm: text })],
    ['paged OrderId', (text) => get('paged', { ...PAGE, OrderId: text })],
    ['paged SearchTerm', (text) => get('paged', { ...PAGE, SearchTerm: text })],
  ];

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

  describe.each(places)('%s', (place, ask) => {
    it('SIMULATE-500 responds 500', async () => {
      expect((await ask('SIMULATE-500')).status).toBe(500);
    });

    it('SIMULATE-503 responds 503 with Retry-After', async () => {
      const response = await ask('SIMULATE-503');
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
    });

    it.each([
      ['SIMULATE-NOT-FOUND', 404],
      ['SIMULATE-CIRCUIT-OPEN', 501],
    ])('%s responds %i', async (text, status) => {
      expect((await ask(text)).status).toBe(status);
    });

    it('SIMULATE-SLOW responds with the first order after 1.5 seconds', async () => {
      const { waited, restore } = holdLongWaits((ms) => ms === 1_500);
      const response = await ask('SIMULATE-SLOW');
      restore();
      expect(waited).toContain(1_500);
      const body = (await response.json()) as Body;
      const records = place.startsWith('details') ? body.ShippingDetails : body.Items;
      if (/details|paged/.test(place)) expect(idsOf(records)).toBe('SHP-000001SHP-000002');
      else expect(body.Id).toBe('SHP-000001');
      if (place.startsWith('paged')) expect(body.TotalCount).toBe(2);
    });

    it('SIMULATE-RESET resets the connection before any response', async () => {
      await expect(ask('SIMULATE-RESET')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    });

    it('SIMULATE-BAD-JSON responds 200 with JSON that does not parse', async () => {
      const response = await ask('SIMULATE-BAD-JSON');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      await expect(response.json()).rejects.toThrow('JSON');
    });

    it('SIMULATE-BAD-SHAPE responds 200 with JSON of no known shape', async () => {
      const response = await ask('SIMULATE-BAD-SHAPE');
      expect(response.status).toBe(200);
      const body = await response.json();
      for (const name of ['Id', 'Items', 'ShippingDetails', 'TotalCount']) expect(body).not.toHaveProperty(name);
    });

    it('SIMULATE-ODD-RECORD responds 200 with a malformed record, on lists among valid ones', async () => {
      const response = await ask('SIMULATE-ODD-RECORD');
      expect(response.status).toBe(200);
      const body = (await response.json()) as Body;
      const odd = { Id: 'SHP-ODD-1', OrderId: { Number: 1 }, TotalWeight: 'heavy', CreatedDate: 'yesterday' };
      if (!/details|paged/.test(place)) {
        expect(body).toMatchObject(odd);
        return;
      }
      const records = place.startsWith('details') ? body.ShippingDetails : body.Items;
      expect(records.map(({ Id }) => Id)).toEqual(['SHP-000001', 'SHP-ODD-1', undefined, 'SHP-000002']);
      expect(records[1]).toMatchObject(odd);
      if (place.startsWith('paged')) expect(body).toMatchObject({ TotalCount: 4, TotalPages: 1, HasNextPage: false });
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
    expect(await listed({ SearchTerm: 'simulate-500' })).toBe('');
    expect((await get('by-id/SIMULATE-5000')).status).toBe(404);
  });
});

describe('D28: the server', () => {
  it('generates that many records where a number is given', async () => {
    const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', records: 3, variant: 'basic' });
    const query = new URLSearchParams(PAGE).toString();
    expect((await bodyOf(fetch(`${sandbox.url}/shippings/paged?${query}`))).TotalCount).toBe(3);
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
