import type { Call, Fault, Reply, WirePage, WireRecord } from './broken-system';

/** What a system gets wrong, and the rules that fail for it; all others pass or are undecided. */
export type FaultRow = readonly [name: string, fails: readonly string[], fault: Fault, env?: NodeJS.ProcessEnv];

const LISTS = ['paged', 'details'] as const;
const OPERATIONS = [...LISTS, 'single', 'by-id'] as const;
const kebab = (text: string): string => text.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').replace(' ', '-').toLowerCase(); // prettier-ignore

export const replace = (sent: Reply, status: number, body: unknown): unknown => Object.assign(sent, { status, body });
export const emptyList = (sent: Reply): unknown => {
  const none = { Items: [], TotalCount: 0, TotalPages: 0, HasNextPage: false, ShippingDetails: [] };
  return replace(sent, 200, { ...(sent.body as object), ...none });
};

const request = (operation: string, change: (query: URLSearchParams) => unknown): Fault => ({
  request: (call) => call.operation === operation && change(call.query),
});
const reply = (operation: string, change: (reply: Reply, call: Call) => unknown): Fault => ({
  reply: (sent, call) => call.operation === operation && change(sent, call),
});
const ignores = (operation: string, name: string): Fault => request(operation, (query) => { query.delete(name); }); // prettier-ignore
/** Changes some values of each page. */
const page = (change: (body: WirePage, call: Call) => object | false): Fault =>
  reply('paged', ({ body }, call) => Object.assign(body as object, change(body as WirePage, call)));
/** Gives the first record of each second page another Id. */
const secondPage = (id: (body: WirePage) => unknown): Fault =>
  page((body, { query }) => {
    const isIt = query.get('PageNumber') === '2' && query.get('SortBy') === 'CreatedDate';
    return isIt && { Items: body.Items.map((record, index) => (index === 0 ? { ...record, Id: id(body) } : record)) };
  });
/** Gives a field of each record another value; `undefined`: leaves it out. */
export const field = (operation: string, name: string, value: unknown, criterion?: string): Fault =>
  reply(operation, ({ status, body }, { query }) => {
    if (status !== 200 || (criterion !== undefined && !query.has(criterion))) return;
    const { Items, ShippingDetails } = body as { Items?: WireRecord[]; ShippingDetails?: WireRecord[] };
    for (const record of Items ?? ShippingDetails ?? [body as WireRecord]) record[name] = value;
  });
const statusWords = (operation: string, words: Readonly<Record<string, string>>): Fault =>
  reply(operation, ({ body }) => {
    const { Items, ShippingDetails } = body as { Items?: WireRecord[]; ShippingDetails?: WireRecord[] };
    for (const record of Items ?? ShippingDetails ?? []) record.Status = words[String(record.Status)] ?? record.Status;
  });
const findsNothing = (list: string, isConcerned: (query: URLSearchParams) => boolean): Fault =>
  reply(list, (sent, { query }) => isConcerned(query) && emptyList(sent));
const shifts = (list: string, name: string, byMs: number): Fault =>
  request(list, (query) => {
    const value = query.get(name);
    if (value !== null) query.set(name, new Date(Date.parse(value) + byMs).toISOString());
  });
const isTracking = (query: URLSearchParams): boolean => /\d/.test(query.get('SearchTerm') ?? '');
const sortsAs = (sorting: string, changed: Readonly<Record<string, string>>): Fault =>
  request('paged', (query) => {
    if (`${String(query.get('SortBy'))} ${String(query.get('SortDirection'))}` !== sorting) return;
    for (const [name, value] of Object.entries(changed)) query.set(name, value);
  });
/** Special characters still get 404, so that they are another matter. */
const notFound = (operation: string, status: number, body: unknown): Fault =>
  reply(operation, (sent, { id, query }) => {
    const isPlain = !/[^\w-]/.test(id) && !query.has('Status') && !query.toString().includes('Date');
    if (sent.status === 404 && isPlain) replace(sent, status, body);
  });

/** Every fault. */
// prettier-ignore
export const FAULTS: readonly FaultRow[] = [
  ...OPERATIONS.flatMap((operation): FaultRow[] => [
    [`${operation}: another shape`, [`${operation}-body`], reply(operation, (sent) => replace(sent, 200, { Result: [] }))],
    [`${operation}: HTML with 200`, [`${operation}-body`], reply(operation, (sent) => replace(sent, 200, '<html>Sign in</html>'))],
    [`${operation}: a redirect`, [`${operation}-body`], reply(operation, (sent) => replace(sent, 302, ''))],
    [`${operation}: 401`, [`${operation}-body`], reply(operation, (sent) => replace(sent, 401, {}))],
    [`${operation}: IsDeleted is a text`, [`${operation}-values`], field(operation, 'IsDeleted', 'no')],
    [`${operation}: a field is missing`, [`${operation}-values`], field(operation, operation === 'details' ? 'TotalWeight' : 'CreatedBy', undefined)],
  ]),
  ...LISTS.flatMap((list): FaultRow[] => [
    ...['OrderId', 'Status', 'SearchTerm', 'FromDate', 'ToDate'].map((name): FaultRow =>
      [`${list}: ${name} ignored`, [`${list}-${kebab(name)}`], ignores(list, name)]),
    ...['OrderId', 'Status'].map((name): FaultRow =>
      [`${list}: ${name} finds nothing`, [`${list}-${kebab(name)}`], findsNothing(list, (query) => query.has(name))]),
    [`${list}: words in PascalCase`, [`${list}-status`, ...(list === 'paged' ? ['by-id-record'] : [])],
      statusWords(list, { in_transit: 'InTransit' })],
    [`${list}: canceled`, [`${list}-status`], statusWords(list, { cancelled: 'canceled' })],
    [`${list}: 404 where no record matches`, [`${list}-order-id`],
      reply(list, (sent, { query }) => query.get('OrderId')?.includes('999') && replace(sent, 404, {}))],
    [`${list}: addresses are not searched`, [`${list}-search-term`], findsNothing(list, (query) => query.has('SearchTerm') && !isTracking(query))],
    [`${list}: tracking numbers are not searched`, [`${list}-search-term`], findsNothing(list, isTracking)],
    [`${list}: FromDate is not included`, [`${list}-from-date`], shifts(list, 'FromDate', 1)],
    [`${list}: ToDate is not included`, [`${list}-to-date`], shifts(list, 'ToDate', -1)],
  ]),
  ['PageSize ignored', ['page-size'], request('paged', (query) => { query.set('PageSize', '10'); })],
  ['pages of 60 records at most', ['page-size'], request('paged', (query) => {
    query.set('PageSize', String(Math.min(60, Number(query.get('PageSize')))));
  })],
  ['PageNumber counts from 0', ['page-values'], page(({ PageNumber }) => ({ PageNumber: PageNumber - 1 }))],
  ['TotalPages rounded down', ['page-values'], page(({ TotalCount, PageSize }) => ({ TotalPages: Math.floor(TotalCount / PageSize) }))],
  ['order ids over 64 characters',
    ['references', 'by-id-record', 'paged-order-id', 'details-order-id', 'single-order-id'],
    field('paged', 'OrderId', `${'ORD-1,'.repeat(12)}ORD-2`)],
  ['TotalPages rounded wrongly', ['page-values'], page(({ TotalPages }) => ({ TotalPages: TotalPages + 1 }))],
  ['HasNextPage always', ['page-values'], page(() => ({ HasNextPage: true }))],
  ['a record is on two pages', ['page-order'], secondPage(({ Items }) => Items.at(-1)?.Id)],
  ['a record is on no page', ['page-order'], secondPage(() => 'SHP-OTHER')],
  ['TotalCount one too high', ['page-total'], page(({ TotalCount, PageSize }) =>
    TotalCount > PageSize && { TotalCount: TotalCount + 1, TotalPages: Math.ceil((TotalCount + 1) / PageSize) })],
  ['TotalCount ignores filters', ['page-total'], page(({ TotalCount }, { query }) => query.has('OrderId') && { TotalCount: TotalCount + 20 })],
  ['404 beyond the last page', ['page-beyond'], reply('paged', (sent) => (sent.body as WirePage).PageNumber > 900 && replace(sent, 404, {}))],
  ['records beyond the last page', ['page-beyond'], page(({ PageNumber }) => PageNumber > 900 && { Items: [{ Id: 'SHP-1' }] })],
  ['Limit ignored', ['limit'], ignores('details', 'Limit')],
  ['a list beyond the size limit', ['body-size', 'page-size'], {}, { EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '25000' }],
  ['identifiers that the pattern refuses', ['identifiers'], {}, { SHIPPING_ID_PATTERN: '[0-9]+' }],
  ['by-id: another record', ['by-id-body'], field('by-id', 'Id', 'SHP-OTHER')],
  ['by-id: other values than in the list', ['by-id-record'], field('by-id', 'TotalWeight', 9999)],
  ...['Id', 'OrderId', 'TrackingNumber'].map((name): FaultRow =>
      [`single: another ${name}`, [name === 'Id' ? 'single-body' : `single-${kebab(name)}`], field('single', name, 'X-OTHER', name)]),
  ['single: an older record', ['single-newest'], field('single', 'CreatedDate', '2001-01-01T00:00:00Z', 'OrderId')],
  ['single: not the smallest Id', ['single-newest'], field('single', 'Id', 'SHP-999998', 'OrderId')],
  ...['Status', 'FromDate', 'ToDate'].map((name): FaultRow =>
      [`single: ${name} ignored`, ['single-criteria'], ignores('single', name)]),
  ...(['by-id', 'single'] as const).flatMap((operation): FaultRow[] => [
    [`${operation}: 500 for no match`, [`${operation}-not-found`], notFound(operation, 500, {})],
    [`${operation}: an empty 200 for no match`, [`${operation}-not-found`], notFound(operation, 200, '')],
    [`${operation}: some record for no match`, [`${operation}-not-found`], notFound(operation, 200, { Id: 'SHP-1' })],
  ]),
  ...['/', '?', '#'].map((end): FaultRow =>
      [`by-id: the identifier ends at ${end}`, ['by-id-encoding'], reply('by-id', (sent, { id }) => id.includes(end) && replace(sent, 200, { Id: id.split(end)[0] }))]),
  ...['CreatedDate asc', 'CreatedDate desc', 'TrackingNumber asc', 'TrackingNumber desc'].map((sorting): FaultRow =>
      [`${sorting} ignored`, [`sort-${kebab(sorting)}`], sortsAs(sorting, { SortBy: 'Status' })]),
  ['CreatedDate asc is desc', ['sort-created-date-asc'], sortsAs('CreatedDate asc', { SortDirection: 'desc' })],
  ['Status asc ignored', ['sort-status'], sortsAs('Status asc', { SortBy: 'CreatedDate' })],
  ['Status desc is asc', ['sort-status'], sortsAs('Status desc', { SortDirection: 'asc' })],
  ['the order of ties changes with each request', ['sort-ties'], page(({ Items }, { query, number }) =>
    query.get('SortBy') === 'Status' && number % 2 === 0 && { Items: [...Items.slice(1, 2), ...Items.slice(0, 1), ...Items.slice(2)] })],
];
