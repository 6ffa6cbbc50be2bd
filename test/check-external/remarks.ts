import type { Call, Fault, UpstreamResponse, WireRecord } from './broken-system';
import * as faults from './faults';

/** What a system does that is legal by itself, and the rules that fail for it or remark on it. */
export interface RemarkRow {
  readonly name: string;
  readonly rules: readonly string[];
  readonly fault: Fault;
}

const LISTS = ['paged', 'details'];

/** Changes each response with records, and each record in it. */
const responses = (change: (response: UpstreamResponse, call: Call) => unknown): Fault => ({
  response: (sent, call) => sent.status === 200 && change(sent, call),
});
const records = (change: (record: WireRecord) => unknown): Fault =>
  responses(({ body }) => {
    for (const record of faults.recordsIn(body)) change(record);
  });
const sets = (name: string, value: (old: never) => unknown): Fault =>
  records((record) => (record[name] = value(record[name] as never)));
const renames = (name: string, other: string): Fault =>
  records((record) => {
    record[other] = record[name];
    Reflect.deleteProperty(record, name);
  });
const searches = (change: (term: string) => string): Fault => ({
  request: ({ query }) => {
    if (query.has('SearchTerm')) query.set('SearchTerm', change(query.get('SearchTerm') ?? ''));
  },
});
/** Sets a parameter of the paged list, from the value that was asked for. */
const asks = (name: string, value: (asked: string | null) => string): Fault =>
  faults.request('paged', (query) => {
    query.set(name, value(query.get(name)));
  });
const replacesNonAscii = (by: string): Fault =>
  sets('ShippingAddress', (text: string) => text.replace(/[^\0-\x7f]/g, by));

const REPEATS_LATE = faults.page(({ Items, PageNumber }) => {
  const isLate = PageNumber > 5 && PageNumber < 900;
  return isLate && { Items: [{ ...Items[0], Id: 'SHP-000001' }, ...Items.slice(1)] };
});
const LISTS_DELETED = responses(({ body }, { operation }) => {
  if (LISTS.includes(operation)) for (const record of faults.recordsIn(body).slice(3, 5)) record.IsDeleted = true;
});
const OTHER_ITEMS = sets('ShippingItems', (items: WireRecord[] | undefined) =>
  items?.map(({ Quantity, ...rest }) => ({ ...rest, Qty: Quantity })),
);
const asLatin1 = (text: string): string => Buffer.from(text).toString('latin1');

/** Names beside the records of a list. */
const says = (more: object): Fault =>
  responses((sent, { operation }) => LISTS.includes(operation) && Object.assign(sent.body as object, more));
const sendsHeaders = (headers: Record<string, string>): Fault => responses((sent) => (sent.headers = headers));
/** Twenty records of an unpaged list, and a sign that there are more. */
const cutsOff = (more: object, headers: Record<string, string> = {}): Fault =>
  responses((sent) => {
    const { ShippingDetails } = sent.body as { ShippingDetails?: WireRecord[] };
    if (ShippingDetails === undefined || ShippingDetails.length <= 20) return;
    Object.assign(sent, { body: { ShippingDetails: ShippingDetails.slice(0, 20), ...more }, headers });
  });
const shiftsYears = (year: (own: number) => number): Fault =>
  sets('CreatedDate', (date: string | null) => date && `${year(Number(date.slice(0, 4)))}${date.slice(4)}`);
const TWICE = faults.page(({ Items }) => ({ Items: Items.map((record, index) => (index === 1 ? Items[0] : record)) }));
const FIRST_PAGE = faults.request('paged', (query) => {
  query.set('PageNumber', '1');
});
const COUNTS_PAGE = faults.page(({ Items }) => ({ TotalCount: Items.length, TotalPages: 1, HasNextPage: false }));

const PARTS: Record<string, string>[] = [{ 'X-Total-Count': '300' }, { Link: '</list?skip=20>; rel="next"' }];
const OLD: Record<string, string>[] = [{ Age: '7300' }, { Warning: '110 - "Response is Stale"' }];

/** What a response says by itself: that it failed, is a part, or old, and values that no shipment has. */
const SAYINGS: readonly RemarkRow[] = [
  ...[
    { Success: false },
    { Errors: [{ Code: 7 }] },
    { timed_out: true },
    { _shards: { total: 5, failed: 1 } },
    { IncompleteResults: true },
    { TotalCountType: 'estimated' },
    { Warnings: ['one node is down'] },
  ].map((more) => ({ name: `says ${JSON.stringify(more)} beside the records`, rules: ['whole'], fault: says(more) })),
  ...[{ nextLink: 'https://a.example/?skip=20' }, { '@odata.nextLink': '?skip=20' }, { hasMore: true }].map((more) => ({
    name: `cuts a list off and says ${JSON.stringify(more)}`,
    rules: ['list-ends', 'list-total'],
    fault: cutsOff(more),
  })),
  ...PARTS.map((headers) => ({
    name: `cuts a list off and sends ${JSON.stringify(headers)}`,
    rules: ['list-ends', 'list-total'],
    fault: cutsOff({}, headers),
  })),
  ...[202, 207].map((status) => ({
    name: `sends lists with status ${status}`,
    rules: ['paged-body', 'details-body'],
    fault: responses((sent, { operation }) => LISTS.includes(operation) && (sent.status = status)),
  })),
  ...OLD.map((headers) => ({
    name: `sends ${JSON.stringify(headers)}`,
    rules: ['fresh'],
    fault: sendsHeaders(headers),
  })),
  { name: 'cuts a list off below its TotalCount', rules: ['list-ends'], fault: cutsOff({ TotalCount: 300 }) },
  { name: 'sends Buddhist years', rules: ['dates'], fault: shiftsYears((year) => year + 543) },
  { name: 'sends dates of 1900', rules: ['dates'], fault: shiftsYears(() => 1900) },
  { name: 'sends the text "null"', rules: ['texts-of-null'], fault: sets('TrackingNumber', () => 'null') },
  { name: 'sends an Id twice', rules: ['page-order'], fault: TWICE },
  { name: 'sends page 1 for each page', rules: ['page-values'], fault: FIRST_PAGE },
  { name: 'counts the records of a page as the total', rules: ['page-total'], fault: COUNTS_PAGE },
];

/** For every rule that no row of `FAULTS` names, and for those whose remarks have several reasons. */
export const REMARKS: readonly RemarkRow[] = [
  { name: 'counts pages from 0', rules: ['page-values'], fault: asks('PageNumber', (asked) => `${Number(asked) + 1}`) },
  {
    name: 'repeats a record on the next page',
    rules: ['page-order'],
    fault: faults.secondPage(({ Items }) => Items.at(-1)?.Id),
  },
  { name: 'leaves out a record', rules: ['page-order'], fault: faults.secondPage(() => 'SHP-OTHER') },
  { name: 'repeats a record on a late page', rules: ['page-order'], fault: REPEATS_LATE },
  {
    name: 'loses characters beyond ASCII of a request',
    rules: ['search-beyond-ascii'],
    fault: searches((term) => term.replace(/[^\0-\x7f]/g, '?')),
  },
  { name: 'ignores SortBy', rules: ['sort-status'], fault: asks('SortBy', () => 'CreatedDate') },
  { name: 'ignores SortDirection', rules: ['sort-status'], fault: asks('SortDirection', () => 'desc') },
  {
    name: 'calls IsDeleted deleted',
    rules: ['paged-fields', 'details-fields', 'lookup-fields'],
    fault: renames('IsDeleted', 'deleted'),
  },
  { name: 'renames fields of the items', rules: ['lookup-fields'], fault: OTHER_ITEMS },
  { name: 'leaves ShippingItems out', rules: ['lookup-fields'], fault: renames('ShippingItems', 'Lines') },
  { name: 'sends a field that is always empty', rules: ['lookup-fields'], fault: sets('TrackingNumber', () => '') },
  {
    name: 'writes most statuses in other words',
    rules: ['status-words'],
    fault: sets('Status', (word: string) => (/created/i.test(word) ? word : 'on_hold')),
  },
  { name: 'marks active records as deleted', rules: ['soft-deleted'], fault: sets('IsDeleted', (value) => !value) },
  { name: 'lists soft-deleted records', rules: ['soft-deleted'], fault: LISTS_DELETED },
  { name: 'sends texts that were decoded wrongly', rules: ['texts'], fault: sets('ShippingAddress', asLatin1) },
  { name: 'sends ? for characters beyond ASCII', rules: ['texts'], fault: replacesNonAscii('?') },
  { name: 'sends HTML entities', rules: ['texts'], fault: replacesNonAscii('&uuml;') },
  {
    name: 'sends dates without a zone',
    rules: ['dates'],
    fault: sets('CreatedDate', (date: string | null) => date?.replace('Z', '')),
  },
  ...SAYINGS,
];
