import type { Call, Fault, Reply, WirePage, WireRecord } from './broken-system';

/** What a system gets wrong, and the rules that fail for it; all others pass or are undecided. */
export type FaultRow = readonly [name: string, fails: readonly string[], fault: Fault, env?: NodeJS.ProcessEnv];

const LISTS = ['paged', 'details'] as const;
const OPERATIONS = [...LISTS, 'single', 'by-id'] as const;
const SORTINGS = ['CreatedDate asc', 'CreatedDate desc', 'TrackingNumber asc', 'TrackingNumber desc'] as const;

const request = (operation: string, change: (query: URLSearchParams) => void): Fault => ({
  request: (call) => {
    if (call.operation === operation) change(call.query);
  },
});
const reply = (operation: string, change: (reply: Reply, call: Call) => void | Promise<void>): Fault => ({
  reply: async (sent, call) => {
    if (call.operation === operation) await change(sent, call);
  },
});
const ignores = (operation: string, name: string): Fault => request(operation, (query) => { query.delete(name); }); // prettier-ignore
/** Changes some values of each page. */
const page = (change: (body: WirePage, call: Call) => object | undefined | Promise<object>): Fault =>
  reply('paged', async ({ body }, call) => { Object.assign(body as object, await change(body as WirePage, call)); }); // prettier-ignore
export const replace = (sent: Reply, status: number, body: unknown): void => {
  Object.assign(sent, { status, body });
};
export const emptyList = (sent: Reply): void => {
  const none = { Items: [], TotalCount: 0, TotalPages: 0, HasNextPage: false, ShippingDetails: [] };
  replace(sent, 200, { ...(sent.body as object), ...none });
};
/** Gives a field of each record another value; `undefined`: leaves it out. */
const field = (operation: string, name: string, value: unknown, criterion?: string): Fault =>
  reply(operation, ({ status, body }, { query }) => {
    if (status !== 200 || (criterion !== undefined && !query.has(criterion))) return;
    const { Items, ShippingDetails } = body as { Items?: WireRecord[]; ShippingDetails?: WireRecord[] };
    for (const record of Items ?? ShippingDetails ?? [body as WireRecord]) record[name] = value;
  });
const findsNothing = (list: string, isConcerned: (query: URLSearchParams) => boolean): Fault =>
  reply(list, (sent, { query }) => { if (isConcerned(query)) emptyList(sent); }); // prettier-ignore
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
const sortId = (sorting: string): string => `sort-${sorting.replace('dDate', 'd-date').replace('gN', 'g-n').replace(' ', '-').toLowerCase()}`; // prettier-ignore

/** Every fault. */
// prettier-ignore
export const FAULTS: readonly FaultRow[] = [
  ...OPERATIONS.flatMap((operation): FaultRow[] => [
    [`${operation}: another shape`, [`${operation}-body`], reply(operation, (sent) => { replace(sent, 200, { Result: [] }); })],
    [`${operation}: HTML with 200`, [`${operation}-body`], reply(operation, (sent) => { replace(sent, 200, '<html>Sign in</html>'); })],
    [`${operation}: a redirect`, [`${operation}-body`], reply(operation, (sent) => { replace(sent, 302, ''); })],
    [`${operation}: 401`, [`${operation}-body`], reply(operation, (sent) => { replace(sent, 401, {}); })],
    [`${operation}: IsDeleted is a text`, [`${operation}-values`], field(operation, 'IsDeleted', 'no')],
    [`${operation}: a field is missing`, [`${operation}-values`], field(operation, operation === 'details' ? 'TotalWeight' : 'CreatedBy', undefined)],
  ]),
  ...LISTS.flatMap((list): FaultRow[] => [
    [`${list}: OrderId ignored`, [`${list}-order-id`], ignores(list, 'OrderId')],
    [`${list}: OrderId finds nothing`, [`${list}-order-id`], findsNothing(list, (query) => query.has('OrderId'))],
    [`${list}: 404 where no record matches`, [`${list}-order-id`], reply(list, (sent, { query }) => { if (query.get('OrderId')?.includes('999')) replace(sent, 404, {}); })],
    [`${list}: Status ignored`, [`${list}-status`], ignores(list, 'Status')],
    [`${list}: Status finds nothing`, [`${list}-status`], findsNothing(list, (query) => query.has('Status'))],
    [`${list}: SearchTerm ignored`, [`${list}-search-term`], ignores(list, 'SearchTerm')],
    [`${list}: addresses are not searched`, [`${list}-search-term`], findsNothing(list, (query) => query.has('SearchTerm') && !isTracking(query))],
    [`${list}: tracking numbers are not searched`, [`${list}-search-term`], findsNothing(list, isTracking)],
    [`${list}: FromDate ignored`, [`${list}-from-date`], ignores(list, 'FromDate')],
    [`${list}: FromDate is not included`, [`${list}-from-date`], shifts(list, 'FromDate', 1)],
    [`${list}: ToDate ignored`, [`${list}-to-date`], ignores(list, 'ToDate')],
    [`${list}: ToDate is not included`, [`${list}-to-date`], shifts(list, 'ToDate', -1)],
  ]),
  ['PageSize ignored', ['page-size'], request('paged', (query) => { query.set('PageSize', '10'); })],
  ['pages of 60 records at most', ['page-size'], request('paged', (query) => { query.set('PageSize', String(Math.min(60, Number(query.get('PageSize'))))); })],
  ['PageNumber counts from 0', ['page-values'], page(({ PageNumber }) => ({ PageNumber: PageNumber - 1 }))],
  ['TotalPages rounded wrongly', ['page-values'], page(({ TotalPages }) => ({ TotalPages: TotalPages + 1 }))],
  ['HasNextPage always', ['page-values'], page(() => ({ HasNextPage: true }))],
  ['a page begins with the last record of the one before', ['page-order'], page(async ({ Items }, { query, sandbox }) => {
    if (query.get('PageNumber') !== '2' || query.get('SortBy') !== 'CreatedDate') return {};
    const before = await sandbox({ ...Object.fromEntries(query), PageNumber: '1' });
    return { Items: [...before.Items.slice(-1), ...Items.slice(0, -1)] };
  })],
  ['a page begins one record late', ['page-order'], page(async ({ Items }, { query, sandbox }) => {
    if (query.get('PageNumber') !== '2' || query.get('SortBy') !== 'CreatedDate') return {};
    const after = await sandbox({ ...Object.fromEntries(query), PageNumber: '9' });
    return { Items: [...Items.slice(1), ...after.Items.slice(0, 1)] };
  })],
  ['TotalCount one too high', ['page-total'], page((body) => recount(body, body.TotalCount + 1))],
  ['TotalCount ignores filters', ['page-total'], page(({ TotalCount }, { query }) => (query.has('OrderId') ? { TotalCount: TotalCount + 20 } : undefined))],
  ['404 beyond the last page', ['page-beyond'], reply('paged', (sent) => { if ((sent.body as WirePage).PageNumber > 900) replace(sent, 404, {}); })],
  ['the last page instead of one beyond it', ['page-beyond'], page(({ PageNumber, TotalPages }, { query, sandbox }) =>
    PageNumber > 900 ? sandbox({ ...Object.fromEntries(query), PageNumber: String(TotalPages) }) : undefined)],
  ['Limit ignored', ['limit'], ignores('details', 'Limit')],
  ['a list beyond the size limit', ['body-size', 'page-size'], {}, { EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '25000' }],
  ['identifiers that the pattern refuses', ['identifiers'], {}, { SHIPPING_ID_PATTERN: '[0-9]+' }],
  ['by-id: another record', ['by-id-record'], field('by-id', 'Id', 'SHP-OTHER')],
  ['by-id: other values than in the list', ['by-id-record'], field('by-id', 'TotalWeight', 9999)],
  ['single: another Id', ['single-id'], field('single', 'Id', 'SHP-OTHER', 'Id')],
  ['single: another OrderId', ['single-order-id'], field('single', 'OrderId', 'ORD-OTHER', 'OrderId')],
  ['single: another TrackingNumber', ['single-tracking-number'], field('single', 'TrackingNumber', 'X', 'TrackingNumber')],
  ['single: an older record', ['single-newest'], field('single', 'CreatedDate', '2001-01-01T00:00:00Z', 'OrderId')],
  ['single: not the smallest Id', ['single-newest'], field('single', 'Id', 'SHP-999998', 'OrderId')],
  ...['Status', 'FromDate', 'ToDate'].map((name): FaultRow => [`single: ${name} ignored`, ['single-criteria'], ignores('single', name)]),
  ...(['by-id', 'single'] as const).flatMap((operation): FaultRow[] => [
    [`${operation}: 500 for no match`, [`${operation}-not-found`], notFound(operation, 500, {})],
    [`${operation}: an empty 200 for no match`, [`${operation}-not-found`], notFound(operation, 200, '')],
    [`${operation}: some record for no match`, [`${operation}-not-found`], notFound(operation, 200, { Id: 'SHP-1' })],
  ]),
  ...['/', '?', '#'].map((end): FaultRow => [`by-id: the identifier ends at ${end}`, ['by-id-encoding'], reply('by-id', (sent, { id }) => { if (id.includes(end)) replace(sent, 200, { Id: id.split(end)[0] }); })]),
  ...SORTINGS.map((sorting): FaultRow => [`${sorting} ignored`, [sortId(sorting)], sortsAs(sorting, { SortBy: 'Status' })]),
  ['CreatedDate asc is desc', ['sort-created-date-asc'], sortsAs('CreatedDate asc', { SortDirection: 'desc' })],
  ['Status asc ignored', ['sort-status'], sortsAs('Status asc', { SortBy: 'CreatedDate' })],
  ['Status desc is asc', ['sort-status'], sortsAs('Status desc', { SortDirection: 'asc' })],
  ['the order of ties changes with each request', ['sort-ties'], page(({ Items }, { query, number }) => {
    if (query.get('SortBy') === 'Status' && number % 2 === 0) Items.unshift(...Items.splice(1, 1));
    return undefined;
  })],
];

function recount({ TotalCount, PageSize, PageNumber }: WirePage, total: number): Partial<WirePage> {
  const TotalPages = Math.ceil(total / PageSize);
  return TotalCount < 10 ? {} : { TotalCount: total, TotalPages, HasNextPage: PageNumber < TotalPages };
}
