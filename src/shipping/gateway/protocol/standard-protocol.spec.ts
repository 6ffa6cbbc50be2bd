import { labelOf, StubbedGateway } from '../../../../test/support/stubbed-gateway';
import { inCamelCase, wireList, type WireObject, wirePage, wireRecords } from '../../../../testing/upstream/records';
import { COMPLETE, PARTIAL } from '../../model/query-result';

const gateway = new StubbedGateway();
const TEN = wireRecords(10);
const FIFTY = wireRecords(50);
const pageOf = (sent: WireObject, PageNumber: unknown = 1, headers = {}) =>
  gateway.find('page', { parameters: { PageNumber: PageNumber as number, PageSize: 10 } }, sent, { headers });

describe('D18 a lookup gets a record', () => {
  const error = { code: -32601, message: 'x' };

  it.each<[string, WireObject]>([
    ['a task of .NET', { Result: null, Id: 1, Exception: null, Status: 5, IsCanceled: false, IsCompleted: true }],
    ['an error of JSON-RPC', { jsonrpc: '2.0', id: 1, error }],
    ['an error with a number', { Success: false, Id: 'SHP-1', Errors: ['x'] }],
  ])('%s is none', async (_, sent) => {
    const cause = 'no record: none of OrderId, ShippingAddress, TrackingNumber, TotalWeight, ShippingItems';
    expect(await gateway.find('record', {}, sent)).toEqual({ failed: 'bad-reply', cause });
  });

  const FIELDS = ['OrderId', 'ShippingAddress', 'TrackingNumber', 'TotalWeight', 'ShippingItems'];
  it.each(FIELDS)('one with %s is one, whatever else it says', async (field) => {
    const sent = { Id: 'SHP-1', Success: false, Errors: ['x'], [field]: null };
    for (const body of [sent, inCamelCase(sent)]) {
      expect(await gateway.find('record', {}, body)).toMatchObject({ completeness: COMPLETE });
    }
  });
});

const typed = (contentType?: string): object => ({ 'content-type': contentType });

describe('D18 a lookup without a match', () => {
  it.each<[string, number, unknown, contentType: string | undefined]>([
    ['204', 204, undefined, undefined],
    ['null', 200, null, undefined],
    ['a 404 without a body', 404, '', undefined],
    ['an empty page', 404, '', 'text/html'],
    ['JSON', 404, '{}', 'application/json'],
    ['a problem', 404, '{}', 'Application/Problem+JSON;charset=utf-8'],
    ['text/json', 404, 'null', 'text/json'],
    ['no JSON, but called so', 404, 'no JSON', 'application/json'],
  ])('%s', async (_, status, data, contentType) => {
    const found = await gateway.find('record', {}, data, { status, headers: typed(contentType) });
    expect(found).toEqual({ body: undefined, completeness: COMPLETE });
    const list = await gateway.find('list', {}, data, { status, headers: typed(contentType) });
    expect(list.failed).toBe(status === 404 ? 'upstream-error' : 'bad-reply');
  });

  it.each<[string, cause: string, contentType: string | undefined]>([
    ['<html>', 'content type text/html', 'text/html; charset=utf-8'],
    ['<html/>', 'content type application/xhtml+xml', 'application/xhtml+xml'],
    ['{}\n{}', 'content type application/x-ndjson', 'application/x-ndjson'],
    ['{}', 'content type application/jsonp', 'application/jsonp'],
    ['<html>', 'no content type', undefined],
  ])('is no 404 with %j: %s', async (data, cause, contentType) => {
    const found = await gateway.find('record', {}, data, { status: 404, headers: typed(contentType) });
    expect(found).toEqual({ failed: 'upstream-error', cause: `status 404, ${cause}` });
  });
});

describe('D14 what is read of a page', () => {
  it.each<{ what: string; sent: WireObject; total?: number }>([
    { what: 'null and a total of 0', sent: { Items: null, TotalCount: 0 } },
    { what: 'null and a total of 0 as text', sent: { items: null, totalCount: '0' } },
    { what: 'a blank text and a total of 0 on page 2', sent: { Items: ' ', TotalCount: 0, PageNumber: 2 } },
    { what: 'no total', sent: { Items: [] } },
    { what: 'a blank total', sent: { Items: [], TotalCount: ' ' } },
    { what: 'a total of null', sent: { items: [], totalCount: null, pageNumber: 1, pageSize: 10 } },
    { what: 'null behind the last page', sent: { Items: null, TotalCount: 30, PageNumber: 4 }, total: 30 },
    { what: 'a total with blanks', sent: { Items: [], TotalCount: ' 30 ', PageNumber: 4 }, total: 30 },
  ])('is empty: $what', async ({ sent, total = 0 }) => {
    const { body, completeness } = await pageOf(sent, sent.PageNumber);
    expect(completeness).toEqual(COMPLETE);
    expect(body).toMatchObject({ items: [], totalCount: total, totalPages: Math.ceil(total / 10), hasNextPage: false });
  });

  const NO_TOTAL = 'no valid TotalCount: absent';
  it.each<{ what: string; sent: WireObject; cause: string; number?: number }>([
    { what: 'null and no total', sent: { Items: null }, cause: 'Items: null' },
    { what: 'no total behind page 1', sent: { Items: [] }, cause: NO_TOTAL, number: 2 },
    { what: 'page 1 that calls itself 2', sent: { Items: [], PageNumber: 2 }, cause: NO_TOTAL },
    { what: 'page 2 that calls itself 1', sent: { Items: [], PageNumber: 1 }, cause: NO_TOTAL, number: 2 },
    { what: 'records without a total', sent: { Items: TEN }, cause: NO_TOTAL },
    { what: 'null on the last page', sent: { Items: null, TotalCount: 30 }, cause: 'Items: null', number: 3 },
    { what: 'no items behind the last page', sent: { TotalCount: 30 }, cause: 'no Items: absent', number: 4 },
  ])('is no page: $what', async ({ sent, cause, number }) => {
    expect(await pageOf(sent, number)).toEqual({ failed: 'bad-reply', cause });
  });

  it('null beside a total of 0 is an empty list', async () => {
    const found = await gateway.find('list', {}, { ShippingDetails: null, TotalCount: 0 });
    expect(found).toEqual({ body: [], completeness: COMPLETE });
  });
});

describe('D31 a list whose body says that there is more', () => {
  it.each<{ Limit?: number; count: number; beside: WireObject; expected: string }>([
    { count: 50, beside: { TotalCount: 600 }, expected: 'complete;limit=50' },
    { count: 50, beside: { HasNextPage: true }, expected: 'complete;limit=50' },
    { Limit: 20, count: 50, beside: { TotalCount: 600 }, expected: 'complete;limit=20' },
    { count: 50, beside: { TotalCount: 50, HasNextPage: false }, expected: 'complete' },
    { count: 50, beside: { TotalCount: 'many', HasNextPage: 'maybe' }, expected: 'complete' },
    { count: 0, beside: { TotalCount: 600 }, expected: 'partial' },
    { count: 0, beside: { HasNextPage: true }, expected: 'partial' },
    ...['NextLink', 'next', '@odata.nextLink'].flatMap((name) => [
      { count: 50, beside: { [name]: '/v2/shipments?cursor=abc' }, expected: 'complete;limit=50' },
      { count: 50, beside: { [name]: ' ' }, expected: 'complete' },
      { count: 50, beside: { [name]: true }, expected: 'complete' },
      { count: 0, beside: { [name]: '?page=2' }, expected: 'partial' },
    ]),
    ...['hasMore', 'HAS_MORE'].flatMap((name) => [
      { count: 50, beside: { [name]: true }, expected: 'complete;limit=50' },
      { count: 50, beside: { [name]: false }, expected: 'complete' },
    ]),
    { count: 50, beside: { HasNextPage: false, hasMore: true }, expected: 'complete;limit=50' },
  ])('$count beside $beside: $expected', async ({ Limit, count, beside, expected }) => {
    const sent = wireList(FIFTY.slice(0, count), beside);
    for (const body of [sent, inCamelCase(sent)]) {
      expect(labelOf(await gateway.find('list', { parameters: { Limit } }, body))).toBe(expected);
    }
  });

  it.each<{ headers: Record<string, string>; count?: number; expected: string }>([
    { headers: { 'x-total-count': ' 51 ' }, expected: 'complete;limit=50' },
    { headers: { 'x-total-count': '50' }, expected: 'complete' },
    { headers: { 'x-total-count': '600' }, count: 0, expected: 'partial' },
    { headers: { link: '<https://api.example/a?page=2>; rel="next"' }, expected: 'complete;limit=50' },
    { headers: { link: '</a?b,c;d>; rel=first, </a>; title="x"; REL=next' }, expected: 'complete;limit=50' },
    { headers: { link: '</a?page=2>; rel="last next"' }, expected: 'complete;limit=50' },
    { headers: { link: '</a;rel="next">; rel="prev"' }, expected: 'complete' },
    { headers: { link: '</a?page=1>; rel="prev next-archive"' }, expected: 'complete' },
  ])('$headers: $expected', async ({ headers, count = 50, expected }) => {
    expect(labelOf(await gateway.find('list', {}, wireList(FIFTY.slice(0, count)), { headers }))).toBe(expected);
  });

  it.each<{ beside: WireObject; headers?: Record<string, string>; hasNextPage: boolean; records?: WireObject[] }>([
    { beside: { nextLink: '/a' }, hasNextPage: true },
    { beside: { has_more: '1' }, hasNextPage: true },
    { beside: {}, headers: { link: '</a>; rel="next"' }, hasNextPage: true },
    { beside: { nextLink: '/a', HasNextPage: false }, hasNextPage: false },
    { beside: { nextLink: '/a', TotalCount: 0, TotalPages: 0 }, hasNextPage: false, records: [] },
    { beside: {}, headers: { 'x-total-count': '600' }, hasNextPage: false },
  ])('a page beside $beside $headers: $hasNextPage', async ({ beside, headers, hasNextPage, records = TEN }) => {
    const sent = wirePage(records, { HasPreviousPage: undefined, HasNextPage: undefined, ...beside });
    const completeness = hasNextPage ? { level: 'complete', cause: 'HasNextPage: true on the last page' } : COMPLETE;
    const body = expect.objectContaining({ totalCount: records.length, hasNextPage }) as unknown;
    expect(await pageOf(sent, 1, headers)).toEqual({ body, completeness });
  });

  it('D81 an empty one names the contradiction', async () => {
    const { completeness } = await gateway.find('list', {}, wireList([], { TotalCount: 600 }));
    expect(completeness).toEqual({ ...PARTIAL, cause: 'ShippingDetails: empty below the total' });
  });
});

describe('D18 a list that says that it failed', () => {
  const METHODS = ['list', 'page'] as const;
  const listsOf = (records: readonly unknown[] | null, beside: WireObject): WireObject => {
    return { ...wirePage(records ?? []), ShippingDetails: records, Items: records, ...beside };
  };

  it.each<[beside: WireObject, name: string]>([
    [{ Success: false }, 'Success'],
    [{ isSuccess: 0 }, 'isSuccess'],
    [{ Succeeded: '0' }, 'Succeeded'],
    [{ error: 'x' }, 'error'],
    [{ Errors: ['x'] }, 'Errors'],
    [{ fault: { faultstring: 'x' } }, 'fault'],
    [{ ERROR: 42 }, 'ERROR'],
    [{ error: { code: '7', message: 'x' } }, 'error'],
    [{ Success: false, Errors: ['x'] }, 'Success'],
  ])('%j: %s', async (beside, name) => {
    const cause = `${name}: says that it failed`;
    for (const method of METHODS) {
      for (const none of [[], null]) {
        expect(await gateway.find(method, {}, listsOf(none, beside))).toEqual({ failed: 'bad-reply', cause });
      }
      const { completeness } = await gateway.find(method, {}, listsOf(TEN.slice(0, 1), beside));
      expect(completeness).toEqual({ ...PARTIAL, cause });
    }
  });

  const GOOD = [null, false, 0, '0', 'false', '', ' ', [], {}, { code: 0, message: 'ok' }, { Code: '0' }];
  it.each([
    ...GOOD.map((error) => ({ error })),
    ...[true, 1, null, 'no'].map((Success) => ({ Success })),
    { status: 'failed', message: 'x', Warnings: ['x'] },
  ])('does not with %j', async (beside) => {
    for (const method of METHODS) {
      expect(await gateway.find(method, {}, listsOf(TEN, beside))).toMatchObject({ completeness: COMPLETE });
    }
  });
});
