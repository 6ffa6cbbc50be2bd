import type { Call, Fault, UpstreamResponse, WirePage, WireRecord } from './broken-system';

/** What a system gets wrong, and the rules that fail for it; all others pass or are undecided. */
export interface FaultRow {
  readonly name: string;
  readonly fails: readonly string[];
  readonly fault: Fault;
  readonly env?: NodeJS.ProcessEnv;
}

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
const findsNothing = (list: string, isConcerned: (query: URLSearchParams) => boolean): Fault =>
  response(list, (sent, { query }) => isConcerned(query) && emptyList(sent));
const isTracking = (query: URLSearchParams): boolean => /\d/.test(query.get('SearchTerm') ?? '');
const sortsAs = (sorting: string): Fault =>
  request('paged', (query) => {
    const asked = ['SortBy', 'SortDirection'].map((name) => query.get(name)).join(' ');
    if (asked === sorting) query.set('SortBy', 'Status');
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
const NUMBER = 'TrackingNumber';
const isOther = ({ query }: Call): boolean => query.get('OrderId')?.includes('999') === true;
export const endsAt = (end: string): Fault =>
  response('by-id', (sent, { id }) => id.includes(end) && replace(sent, 200, { Id: id.split(end)[0] }));
/** Rows of one operation. */
type RowsOf = (operation: string) => FaultRow[];
const bodies: RowsOf = (operation) => {
  const shape = response(operation, (sent) => replace(sent, 200, { Result: [] }));
  const missing = field(operation, operation === 'details' ? 'TotalWeight' : 'CreatedBy', undefined);
  // A lookup is compared with the other one, and that by identifier with the list, too.
  const isMissed =
    {
      paged: ['paged-fields', 'by-id-record'],
      details: ['details-fields'],
      single: ['single-record'],
      'by-id': ['single-record', 'by-id-record'],
    }[operation] ?? [];
  return [
    { name: `${operation}: another shape`, fails: [`${operation}-body`], fault: shape },
    { name: `${operation}: a text`, fails: [`${operation}-values`], fault: field(operation, 'IsDeleted', 'no') },
    { name: `${operation}: a field is missing`, fails: isMissed, fault: missing },
  ];
};
const filters: RowsOf = (list) => {
  const [orderId, status, term] = [[`${list}-order-id`], [`${list}-status`], [`${list}-search-term`]];
  const dates = [`${list}-from-date`, `${list}-to-date`];
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
      return { name: `${list}: ${name} ignored`, fails: [`${list}-${kebab(name)}`], fault: ignores(list, name) };
    }),
    ...['OrderId', 'Status'].map((name): FaultRow => {
      const fault = findsNothing(list, (query) => query.has(name));
      return { name: `${list}: ${name} finds nothing`, fails: [`${list}-${kebab(name)}`], fault };
    }),
    { name: `${list}: a part of OrderId matches`, fails: orderId, fault: ofPart },
    { name: `${list}: OrderId ignored beside a date`, fails: dates, fault: besideDate },
    { name: `${list}: words in PascalCase`, fails: words, fault: statusWords(list, { in_transit: 'InTransit' }) },
    { name: `${list}: canceled`, fails: status, fault: statusWords(list, { cancelled: 'canceled' }) },
    { name: `${list}: 404 where no record matches`, fails: orderId, fault: notFoundList },
    { name: `${list}: addresses are not searched`, fails: term, fault: findsNothing(list, isAddress) },
    { name: `${list}: tracking numbers are not searched`, fails: term, fault: findsNothing(list, isTracking) },
  ];
};
const lookups: RowsOf = (operation) => {
  const fails = [`${operation}-not-found`];
  return [
    { name: `${operation}: 500 for no match`, fails, fault: notFound(operation, 500, {}) },
    { name: `${operation}: an empty 200 for no match`, fails, fault: notFound(operation, 200, '') },
    { name: `${operation}: some record for no match`, fails, fault: notFound(operation, 200, { Id: 'SHP-1' }) },
  ];
};

const LONG_ORDER_IDS = field('paged', 'OrderId', `${'ORD-1,'.repeat(12)}ORD-2`);
const OF_ORDER_IDS = ['references', 'by-id-record', 'paged-order-id', 'details-order-id', 'single-order-id'];
const SORTINGS = ['CreatedDate asc', 'CreatedDate desc', 'TrackingNumber asc', 'TrackingNumber desc'];
const ROUNDED_DOWN = page(({ TotalCount, PageSize }) => ({ TotalPages: Math.floor(TotalCount / PageSize) }));
const ROUNDED_UP = page(({ TotalPages }) => ({ TotalPages: TotalPages + 1 }));
const FORGETS_FILTER = request('paged', (query) => {
  if (query.get('PageNumber') !== '1') query.delete('Status');
});
const NOT_FOUND_BEYOND = response('paged', (sent) => isBeyond(sent) && replace(sent, 404, {}));
const SMALL = { EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '25000' };
const ONLY_DIGITS = { SHIPPING_ID_PATTERN: '[0-9]+' };
/** Faults for every rule, but for those that `REMARKS` names. */
export const FAULTS: readonly FaultRow[] = [
  ...OPERATIONS.flatMap(bodies),
  ...LISTS.flatMap(filters),
  ...['by-id', 'single'].flatMap(lookups),
  { name: 'PageSize ignored', fails: ['page-size'], fault: pageSize(() => 10) },
  { name: 'PageNumber from 0', fails: ['page-values'], fault: page((of) => ({ PageNumber: of.PageNumber - 1 })) },
  { name: 'TotalPages rounded down', fails: ['page-values'], fault: ROUNDED_DOWN },
  { name: 'TotalPages rounded wrongly', fails: ['page-values'], fault: ROUNDED_UP },
  { name: 'HasNextPage always', fails: ['page-values'], fault: page(() => ({ HasNextPage: true })) },
  { name: 'order ids over 64 characters', fails: OF_ORDER_IDS, fault: LONG_ORDER_IDS },
  { name: 'a filter is forgotten after the first page', fails: ['page-total'], fault: FORGETS_FILTER },
  { name: '404 beyond the last page', fails: ['page-beyond'], fault: NOT_FOUND_BEYOND },
  { name: 'Limit ignored', fails: ['limit', 'list-ends', 'list-total'], fault: ignores('details', 'Limit') },
  { name: 'a list beyond the limit', fails: ['body-size', 'page-size'], fault: {}, env: SMALL },
  { name: 'identifiers that the pattern refuses', fails: ['identifiers'], fault: {}, env: ONLY_DIGITS },
  { name: 'by-id: another record', fails: ['by-id-body'], fault: field('by-id', 'Id', 'SHP-OTHER') },
  { name: 'single: another Id', fails: ['single-body'], fault: field('single', 'Id', 'X-OTHER', 'Id') },
  { name: 'single: another order', fails: ['single-order-id'], fault: field('single', 'OrderId', 'X', 'OrderId') },
  { name: 'single: another number', fails: ['single-tracking-number'], fault: field('single', NUMBER, 'X', NUMBER) },
  {
    name: 'single: another Id of the order',
    fails: ['single-newest'],
    fault: field('single', 'Id', 'SHP-9', 'OrderId'),
  },
  ...['Status', 'FromDate', 'ToDate'].map((name): FaultRow => {
    return { name: `single: ${name} ignored`, fails: ['single-criteria'], fault: ignores('single', name) };
  }),
  ...['/', '?', '#'].map((end): FaultRow => {
    return { name: `by-id: the identifier ends at ${end}`, fails: ['by-id-encoding'], fault: endsAt(end) };
  }),
  ...SORTINGS.map((sorting): FaultRow => {
    return { name: `${sorting} ignored`, fails: [`sort-${kebab(sorting)}`], fault: sortsAs(sorting) };
  }),
];
