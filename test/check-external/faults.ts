import type { Call, Fault, UpstreamResponse, WirePage, WireRecord } from './broken-system';

/** What a system gets wrong, and the rules that fail for it; all others pass or are undecided. */
export type FaultRow = readonly [name: string, fails: readonly string[], fault: Fault, env?: NodeJS.ProcessEnv];

const LISTS = ['paged', 'details'] as const;
const OPERATIONS = [...LISTS, 'single', 'by-id'] as const;
const kebab = (text: string): string => text.replaceAll(/(?<=[a-z])[A-Z]| /g, (end) => `-${end.trim()}`).toLowerCase();

export const replace = (sent: UpstreamResponse, status: number, body: unknown): unknown =>
  Object.assign(sent, { status, body });
/** The records of a page or list, or the one of a lookup. */
export function recordsIn(body: unknown): WireRecord[] {
  const { Items, ShippingDetails } = body as { Items?: WireRecord[]; ShippingDetails?: WireRecord[] };
  return Items ?? ShippingDetails ?? [body as WireRecord];
}
export const emptyList = (sent: UpstreamResponse): unknown => {
  const none = { Items: [], TotalCount: 0, TotalPages: 0, HasNextPage: false, ShippingDetails: [] };
  return replace(sent, 200, { ...(sent.body as object), ...none });
};

export const request = (operation: string, change: (query: URLSearchParams) => unknown): Fault => ({
  request: (call) => call.operation === operation && change(call.query),
});
export const response = (operation: string, change: (response: UpstreamResponse, call: Call) => unknown): Fault => ({
  response: (sent, call) => call.operation === operation && change(sent, call),
});
export const ignores = (operation: string, name: string): Fault =>
  request(operation, (query) => {
    query.delete(name);
  });
/** Changes some values of each page. */
export const page = (change: (body: WirePage, call: Call) => object | false): Fault =>
  response('paged', ({ body }, call) => Object.assign(body as object, change(body as WirePage, call)));
/** Gives the first record of each second page another Id. */
export const secondPage = (id: (body: WirePage) => unknown): Fault =>
  page((body, { query }) => {
    const isIt = query.get('PageNumber') === '2' && query.get('SortBy') === 'CreatedDate';
    return isIt && { Items: body.Items.map((record, index) => (index === 0 ? { ...record, Id: id(body) } : record)) };
  });
/** Gives a field of each record another value; `undefined`: leaves it out. */
export const field = (operation: string, name: string, value: unknown, criterion?: string): Fault =>
  response(operation, ({ status, body }, { query }) => {
    if (status !== 200 || (criterion !== undefined && !query.has(criterion))) return;
    for (const record of recordsIn(body)) record[name] = value;
  });
export const statusWords = (operation: string, words: Readonly<Record<string, string>>): Fault =>
  response(operation, ({ body }) => {
    for (const record of recordsIn(body)) record.Status = words[String(record.Status)] ?? record.Status;
  });
export const findsNothing = (list: string, isConcerned: (query: URLSearchParams) => boolean): Fault =>
  response(list, (sent, { query }) => isConcerned(query) && emptyList(sent));
export const shifts = (list: string, name: string, byMs: number): Fault =>
  request(list, (query) => {
    const value = query.get(name);
    if (value !== null) query.set(name, new Date(Date.parse(value) + byMs).toISOString());
  });
export const isTracking = (query: URLSearchParams): boolean => /\d/.test(query.get('SearchTerm') ?? '');
export const sortsAs = (sorting: string, changed: Readonly<Record<string, string>>): Fault =>
  request('paged', (query) => {
    if (`${String(query.get('SortBy'))} ${String(query.get('SortDirection'))}` !== sorting) return;
    for (const [name, value] of Object.entries(changed)) query.set(name, value);
  });
/** Special characters still get 404, so that they are another matter. */
const notFound = (operation: string, status: number, body: unknown): Fault =>
  response(operation, (sent, { id, query }) => {
    const isPlain = !/[^\w-]/.test(id) && !query.has('Status') && !query.toString().includes('Date');
    if (sent.status === 404 && isPlain) replace(sent, status, body);
  });

export const pageSize = (sizeFor: (asked: number) => number): Fault =>
  request('paged', (query) => {
    query.set('PageSize', String(sizeFor(Number(query.get('PageSize')))));
  });
const isBeyond = ({ body }: UpstreamResponse): boolean => (body as WirePage).PageNumber > 900;
export const ignoresFilters = page((of, { query }) => query.has('OrderId') && { TotalCount: of.TotalCount + 20 });
const NUMBER = 'TrackingNumber';
const isOther = ({ query }: Call): boolean => query.get('OrderId')?.includes('999') === true;
export const endsAt = (end: string): Fault =>
  response('by-id', (sent, { id }) => id.includes(end) && replace(sent, 200, { Id: id.split(end)[0] }));
export const countsOneMore = page(({ TotalCount: count, PageSize: size }) => {
  return count > size && { TotalCount: count + 1, TotalPages: Math.ceil((count + 1) / size) };
});
export const tiesChange = page(({ Items: [first, second, ...rest] }, { query, number }) => {
  return query.get('SortBy') === 'Status' && number % 2 === 0 && { Items: [second, first, ...rest] };
});

/** Rows of one operation. */
type RowsOf = (operation: string) => FaultRow[];
const bodies: RowsOf = (operation) => {
  const responds = (status: number, body: unknown): Fault => response(operation, (sent) => replace(sent, status, body));
  const missing = operation === 'details' ? 'TotalWeight' : 'CreatedBy';
  // A lookup is compared with the other one, and that by identifier with the list, too.
  const isMissed =
    {
      paged: ['paged-fields', 'by-id-record'],
      details: ['details-fields'],
      single: ['single-record'],
      'by-id': ['single-record', 'by-id-record'],
    }[operation] ?? [];
  return [
    [`${operation}: another shape`, [`${operation}-body`], responds(200, { Result: [] })],
    [`${operation}: HTML with 200`, [`${operation}-body`], responds(200, '<html>Sign in</html>')],
    [`${operation}: a redirect`, [`${operation}-body`], responds(302, '')],
    [`${operation}: 401`, [`${operation}-body`], responds(401, {})],
    [`${operation}: IsDeleted is a text`, [`${operation}-values`], field(operation, 'IsDeleted', 'no')],
    [`${operation}: a field is missing`, isMissed, field(operation, missing, undefined)],
  ];
};
const filters: RowsOf = (list) => {
  const words = [`${list}-status`, ...(list === 'paged' ? ['by-id-record'] : [])];
  const isAddress = (query: URLSearchParams): boolean => query.has('SearchTerm') && !isTracking(query);
  const ofPart = request(list, (query) => {
    if (query.get('OrderId')?.length === 'ORD-00000'.length) query.delete('OrderId');
  });
  const besideDate = request(list, (query) => {
    if (query.has('FromDate') || query.has('ToDate')) query.delete('OrderId');
  });
  const notFoundList = response(list, (sent, call) => isOther(call) && replace(sent, 404, {}));
  return [
    ...['OrderId', 'Status', 'SearchTerm', 'FromDate', 'ToDate'].map((name): FaultRow => {
      return [`${list}: ${name} ignored`, [`${list}-${kebab(name)}`], ignores(list, name)];
    }),
    ...['OrderId', 'Status'].map((name): FaultRow => {
      const fault = findsNothing(list, (query) => query.has(name));
      return [`${list}: ${name} finds nothing`, [`${list}-${kebab(name)}`], fault];
    }),
    [`${list}: a part of OrderId matches`, [`${list}-order-id`], ofPart],
    [`${list}: OrderId ignored beside a date`, [`${list}-from-date`, `${list}-to-date`], besideDate],
    [`${list}: words in PascalCase`, words, statusWords(list, { in_transit: 'InTransit' })],
    [`${list}: canceled`, [`${list}-status`], statusWords(list, { cancelled: 'canceled' })],
    [`${list}: 404 where no record matches`, [`${list}-order-id`], notFoundList],
    [`${list}: addresses are not searched`, [`${list}-search-term`], findsNothing(list, isAddress)],
    [`${list}: tracking numbers are not searched`, [`${list}-search-term`], findsNothing(list, isTracking)],
    [`${list}: FromDate is not included`, [`${list}-from-date`], shifts(list, 'FromDate', 1)],
    [`${list}: ToDate is not included`, [`${list}-to-date`], shifts(list, 'ToDate', -1)],
  ];
};
const lookups: RowsOf = (operation) => [
  [`${operation}: 500 for no match`, [`${operation}-not-found`], notFound(operation, 500, {})],
  [`${operation}: an empty 200 for no match`, [`${operation}-not-found`], notFound(operation, 200, '')],
  [`${operation}: some record for no match`, [`${operation}-not-found`], notFound(operation, 200, { Id: 'SHP-1' })],
];

const LONG_ORDER_IDS = field('paged', 'OrderId', `${'ORD-1,'.repeat(12)}ORD-2`);
const OF_ORDER_IDS = ['references', 'by-id-record', 'paged-order-id', 'details-order-id', 'single-order-id'];
const OLD = '2001-01-01T00:00:00Z';
const SORTINGS = ['CreatedDate asc', 'CreatedDate desc', 'TrackingNumber asc', 'TrackingNumber desc'];
/** Every fault. */
export const FAULTS: readonly FaultRow[] = [
  ...OPERATIONS.flatMap(bodies),
  ...LISTS.flatMap(filters),
  ...['by-id', 'single'].flatMap(lookups),
  ['PageSize ignored', ['page-size'], pageSize(() => 10)],
  ['pages of 60 records at most', ['page-size'], pageSize((asked) => Math.min(60, asked))],
  ['PageNumber counts from 0', ['page-values'], page(({ PageNumber }) => ({ PageNumber: PageNumber - 1 }))],
  ['TotalPages rounded down', ['page-values'], page((of) => ({ TotalPages: Math.floor(of.TotalCount / of.PageSize) }))],
  ['order ids over 64 characters', OF_ORDER_IDS, LONG_ORDER_IDS],
  ['TotalPages rounded wrongly', ['page-values'], page(({ TotalPages }) => ({ TotalPages: TotalPages + 1 }))],
  ['HasNextPage always', ['page-values'], page(() => ({ HasNextPage: true }))],
  ['a record is on two pages', ['page-order', 'page-records'], secondPage(({ Items }) => Items.at(-1)?.Id)],
  ['a record is on no page', ['page-order', 'page-records'], secondPage(() => 'SHP-OTHER')],
  ['TotalCount one too high', ['page-total', 'list-total'], countsOneMore],
  ['TotalCount ignores filters', ['page-total'], ignoresFilters],
  [
    'a filter is forgotten after the first page',
    ['page-total'],
    request('paged', (query) => {
      if (query.get('PageNumber') !== '1') query.delete('Status');
    }),
  ],
  ['404 beyond the last page', ['page-beyond'], response('paged', (sent) => isBeyond(sent) && replace(sent, 404, {}))],
  ['records beyond the last page', ['page-beyond'], page((of) => of.PageNumber > 900 && { Items: [{ Id: 'SHP-1' }] })],
  ['Limit ignored', ['limit', 'list-total'], ignores('details', 'Limit')],
  ['a list beyond the limit', ['body-size', 'page-size'], {}, { EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '25000' }],
  ['identifiers that the pattern refuses', ['identifiers'], {}, { SHIPPING_ID_PATTERN: '[0-9]+' }],
  ['by-id: another record', ['by-id-body'], field('by-id', 'Id', 'SHP-OTHER')],
  ['by-id: other values than in the list', ['by-id-record', 'single-record'], field('by-id', 'TotalWeight', 9999)],
  ['single: another Id', ['single-body'], field('single', 'Id', 'X-OTHER', 'Id')],
  ['single: another OrderId', ['single-order-id'], field('single', 'OrderId', 'X-OTHER', 'OrderId')],
  ['single: another number', ['single-tracking-number'], field('single', NUMBER, 'X-OTHER', NUMBER)],
  ['single: an older record', ['single-newest'], field('single', 'CreatedDate', OLD, 'OrderId')],
  ['single: not the smallest Id', ['single-newest'], field('single', 'Id', 'SHP-999998', 'OrderId')],
  ...['Status', 'FromDate', 'ToDate'].map((name): FaultRow => {
    return [`single: ${name} ignored`, ['single-criteria'], ignores('single', name)];
  }),
  ...['/', '?', '#'].map((end): FaultRow => {
    return [`by-id: the identifier ends at ${end}`, ['by-id-encoding'], endsAt(end)];
  }),
  ...SORTINGS.map((sorting): FaultRow => {
    return [`${sorting} ignored`, [`sort-${kebab(sorting)}`], sortsAs(sorting, { SortBy: 'Status' })];
  }),
  ['CreatedDate asc is desc', ['sort-created-date-asc'], sortsAs('CreatedDate asc', { SortDirection: 'desc' })],
  ['Status asc ignored', ['sort-status'], sortsAs('Status asc', { SortBy: 'CreatedDate' })],
  ['Status desc is asc', ['sort-status'], sortsAs('Status desc', { SortDirection: 'asc' })],
  ['the order of ties changes with each request', ['sort-ties'], tiesChange],
];
