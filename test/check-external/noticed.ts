import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closesEarly, neverResponds } from '../../testing/upstream/connection-faults';
import type { Call, Fault, Reply, WireRecord } from './broken-system';
import * as faults from './faults';

/** How a row of the table in `docs/connecting.md` is played. */
export interface Scenario extends Fault {
  readonly env?: Readonly<Record<string, string>>;
  /** What clients request; by default one request for each operation. */
  readonly requests?: readonly string[];
  /** The response may be complete: the service reads what was meant, or only its log says what is wrong. */
  readonly mayBeComplete?: true;
}

const OPERATIONS = ['paged', 'details', 'single', 'by-id'];
const LISTS = ['paged', 'details'];
const LOOKUPS = ['single', 'by-id'];

const replies = (change: (reply: Reply, call: Call) => unknown, operations = OPERATIONS): Scenario => ({
  reply: (sent, call) => operations.includes(call.operation) && sent.status === 200 && change(sent, call),
});
/** Changes each record. */
const records = (change: (record: WireRecord, call: Call) => unknown, operations = OPERATIONS): Scenario =>
  replies(({ body }, call) => {
    for (const record of faults.recordsIn(body)) change(record, call);
  }, operations);
const renames = (names: Readonly<Record<string, string>>): Scenario =>
  records((record) => {
    for (const [name, other] of Object.entries(names)) {
      record[other] = record[name];
      Reflect.deleteProperty(record, name);
    }
  });
const sets = (name: string, value: (old: never, record: WireRecord) => unknown, operations = OPERATIONS): Scenario =>
  records((record) => (record[name] = value(record[name] as never, record)), operations);
const items = (change: (item: WireRecord) => object): Scenario =>
  sets('ShippingItems', (of: WireRecord[] | undefined) => of?.map((item) => change(item)), LOOKUPS);
const requests = (names: readonly string[], value: (old: string) => string, operations = OPERATIONS): Scenario => ({
  request: ({ query, operation }) => {
    if (!operations.includes(operation)) return;
    for (const name of names) if (query.has(name)) query.set(name, value(query.get(name) ?? ''));
  },
});
const ignores = (...names: string[]): Scenario => ({
  request: ({ query, operation }) => {
    for (const name of names) if (LISTS.includes(operation)) query.delete(name);
  },
});
const both = (one: Fault, other: Fault): Scenario => ({
  request: (call) => [one.request?.(call), other.request?.(call)],
  reply: (sent, call) => [one.reply?.(sent, call), other.reply?.(sent, call)],
});

const hours = (count: number) => (date: string | null) =>
  date === null ? null : new Date(Date.parse(date.replace(/Z?$/, 'Z')) + count * 3_600_000).toISOString();
const asLatin1 = (text: string): string => Buffer.from(text).toString('latin1');
const answers = (status: number, body: unknown, contentType?: string): Scenario => ({
  reply: (sent) => Object.assign(sent, { status, body, contentType }),
});
const behaves = (behaviour: Reply['behaviour'], env?: Scenario['env']): Scenario => ({
  env,
  reply: (sent) => (sent.behaviour = behaviour),
});
const list = (change: (records: WireRecord[], call: Call) => WireRecord[]): Scenario =>
  replies(
    ({ body }, call) => {
      const own = body as { ShippingDetails: WireRecord[] };
      own.ShippingDetails = change(own.ShippingDetails, call);
    },
    ['details'],
  );
const SWAPPED: Readonly<Record<string, string>> = { delivered: 'cancelled', cancelled: 'delivered' };
const swapped = (word?: string): string | undefined => SWAPPED[word?.toLowerCase() ?? ''] ?? word;
const PASCAL: Readonly<Record<string, string>> = { Delivered: 'Cancelled', Cancelled: 'Delivered' };
const SHORT = { EXTERNAL_SHIPPING_TIMEOUT_MS: '400', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '200' };
const LOOKUP_BY_ORDER = ['GetShippingSingle?OrderId=ORD-000001'];
const FILTERED = ['GetShippingDetails?OrderId=ORD-000001', 'GetShippingPagedList?Status=Delivered&PageSize=50'];

/** The rows by their names. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'sends HTML with status 200': answers(200, '<!doctype html><title>Sign in</title>', 'text/html'),
  'sends an error as JSON with status 200': answers(200, { error: { code: 17 } }),
  'redirects to a login': answers(302, ''),
  'refuses the credential': answers(401, {}),
  'breaks off in the middle of a body': behaves(closesEarly()),
  'sends nothing before the deadline': behaves(neverResponds(), SHORT),
  'sends another record than that with the Id': sets('Id', () => 'SHP-OTHER', LOOKUPS),
  'sends another record than that with the OrderId': {
    ...records((record, { query }) => query.has('OrderId') && (record.OrderId = 'ORD-OTHER'), ['single']),
    requests: LOOKUP_BY_ORDER,
    mayBeComplete: true,
  },
  'ignores `OrderId` or `Status`': { ...ignores('OrderId', 'Status'), requests: FILTERED, mayBeComplete: true },
  'sends numbers with a unit': sets('TotalWeight', (weight) => `${String(weight)} kg`),
  'sends numbers with a decimal comma': sets('TotalWeight', (weight) => String(weight).replace(/(?:\..*)?$/, ',50')),
  'sends dates as `DD.MM.YYYY`': sets('CreatedDate', () => '14.03.2026'),
  'sends dates as seconds since 1970': sets('CreatedDate', (date) => Date.parse(date) / 1000),
  'sends booleans as `yes` and `no`': sets('IsDeleted', (value: boolean) => (value ? 'yes' : 'no')),
  'sends identifiers as numbers beyond 2^53': sets('OrderId', () => 2 ** 60),
  'sends objects where texts belong': sets('ShippingAddress', (text) => ({ text })),
  'sends `null` among the records': replies(({ body }) => faults.recordsIn(body).push(null as never), LISTS),
  'sends references (`{"$ref":"2"}`) instead of records': replies(({ body }) => {
    const own = faults.recordsIn(body);
    own.splice(1, own.length, ...own.slice(1).map(() => ({ $ref: '2' })));
  }, LISTS),
  'sends references instead of shipping items': { ...items(() => ({ $ref: '2' })), mayBeComplete: true },
  'sends records without an identifier, or spells it `ID`': renames({ Id: 'ID' }),
  'sends Latin-1 that says UTF-8': replies((sent) => (sent.body = Buffer.from(JSON.stringify(sent.body), 'latin1'))),
  'sends more records than `PageSize`': {
    ...both(
      faults.pageSize((asked) => asked + 5),
      faults.page(({ PageSize }) => ({ PageSize: PageSize - 5 })),
    ),
  },
  'ignores `Limit`': { ...ignores('Limit'), requests: ['GetShippingDetails?Limit=5'] },
  'labels UTF-8 as `ISO-8859-1`': {
    ...replies((sent) => (sent.contentType = 'application/json; charset=ISO-8859-1')),
    mayBeComplete: true,
  },
  'says `HasNextPage: false` before the last page': {
    ...faults.page(() => ({ HasNextPage: false })),
    mayBeComplete: true,
  },
  'counts fewer records than a page has': {
    ...faults.page(() => ({ TotalCount: 7, TotalPages: 1 })),
    mayBeComplete: true,
  },
  'writes most statuses in other words, such as `on_hold`': {
    ...sets('Status', (word: string) => (/created/i.test(word) ? word : 'on_hold')),
    mayBeComplete: true,
  },

  'calls `IsDeleted` `deleted`': renames({ IsDeleted: 'deleted' }),
  'spells names in another case, such as `orderid`': renames({ OrderId: 'orderid', TrackingNumber: 'tracking_number' }),
  'leaves `ModifiedDate` or `ModifiedBy` out': renames({ ModifiedBy: 'x', ModifiedDate: 'y' }),
  'renames fields of the items, such as `Qty`': items(({ Quantity, ...rest }) => ({ ...rest, Qty: Quantity })),
  'leaves `ShippingItems` out': renames({ ShippingItems: 'Lines' }),
  'sends a field that is always empty': sets('TrackingNumber', () => ''),
  'leaves the first status of its enumeration out': records((record) => {
    if (record.Status === 'created') Reflect.deleteProperty(record, 'Status');
  }),
  'ignores `SearchTerm`': ignores('SearchTerm'),
  'ignores `FromDate` or `ToDate`': ignores('FromDate', 'ToDate'),
  'excludes the bound of `FromDate` or `ToDate`': both(
    requests(['FromDate'], (date) => new Date(Date.parse(date) + 1).toISOString()),
    requests(['ToDate'], (date) => new Date(Date.parse(date) - 1).toISOString()),
  ),
  'reads the dates of filters in another time zone': requests(['FromDate', 'ToDate'], (date) => hours(2)(date) ?? ''),
  'sends dates in local time without a zone': sets('CreatedDate', (date) => hours(2)(date)?.replace('Z', '')),
  'cuts the time of day off its dates': both(
    sets('CreatedDate', (date: string | null) => date && `${date.slice(0, 10)}T00:00:00Z`),
    requests(['FromDate'], (date) => `${date.slice(0, 10)}T00:00:00.000Z`),
  ),
  'ends a day-long `ToDate` at its first moment': requests(['ToDate'], (date) => `${date.slice(0, 10)}T00:00:00.000Z`),
  'searches with case': requests(['SearchTerm'], (term) =>
    term === term.toUpperCase() && !/\d/.test(term) ? '~' : term,
  ),
  'loses characters beyond ASCII of a request': requests(['SearchTerm'], (term) => term.replace(/[^\0-\x7f]/g, '?')),
  'sends texts that were decoded wrongly (`ZÃ¼rich`)': sets('ShippingAddress', (text) => asLatin1(text)),
  'sends `?` for characters that its database lacks': sets('ShippingAddress', (text: string) =>
    text.replace(/[^\0-\x7f]/g, '?'),
  ),
  'sends HTML entities in texts': sets('ShippingAddress', (text: string) => text.replace(/[^\0-\x7f]/g, '&uuml;')),
  'ignores `SortBy`': { ...faults.request('paged', (query) => { query.set('SortBy', 'CreatedDate'); }) }, // prettier-ignore
  'ignores `SortDirection`': faults.request('paged', (query) => { query.set('SortDirection', 'desc'); }), // prettier-ignore
  'orders equal values differently each time': faults.tiesChange,
  'counts pages from 0': faults.request('paged', (query) => {
    query.set('PageNumber', String(Number(query.get('PageNumber')) + 1));
  }),
  'sends 60 records a page at most': faults.pageSize((asked) => Math.min(60, asked)),
  'repeats a record on the next page': faults.secondPage(({ Items }) => Items.at(-1)?.Id),
  'repeats a record on a late page': faults.page(({ Items, PageNumber, PageSize }) => {
    const isLate = PageNumber > 1 && PageSize === 100;
    return isLate && { Items: [{ ...Items[0], Id: 'SHP-000001' }, ...Items.slice(1)] };
  }),
  'leaves a record out between two pages': faults.secondPage(() => 'SHP-OTHER'),
  'counts one record too many': faults.countsOneMore,
  'counts deleted records that it does not list': faults.page(({ TotalCount: all, PageSize: size }) => {
    return all > 100 && { TotalCount: all + 17, TotalPages: Math.ceil((all + 17) / size) };
  }),
  'counts without the filter': faults.ignoresFilters,
  'sends records beyond the last page': faults.page((of) => of.PageNumber > 900 && { Items: [{ Id: 'SHP-1' }] }),
  'ends the unpaged list early': list((own) => own.slice(0, 70)),
  'repeats a record of the unpaged list': list((own) =>
    own.map((record, index) => (index === 60 ? (own[0] ?? {}) : record)),
  ),
  'sends a default record for an unknown identifier': {
    reply: (sent, { id }) => sent.status === 404 && /^[\w-]+$/.test(id) && faults.replace(sent, 200, { Id: id }),
  },
  'sends other values in a list than on a lookup': sets('TotalWeight', () => 1, LISTS),
  'sends other values by `Id` than by identifier': sets('ModifiedBy', () => 'somebody', ['single']),
  'sends the oldest record of an order': {
    ...sets('CreatedDate', () => '2001-01-01T00:00:00Z', ['single']),
    reply: (sent, { query, operation }) => {
      if (operation === 'single' && query.has('OrderId')) Object(sent.body).CreatedDate = '2001-01-01T00:00:00Z';
    },
  },
  'ignores a `Status` beside an `Id`': faults.ignores('single', 'Status'),
  'takes `/` in an identifier for its end': faults.endsAt('/'),
  'weighs records in another unit than their items': sets(
    'TotalWeight',
    (weight: number | null) => weight && weight * 1000,
  ),
  'marks active records as deleted': sets('IsDeleted', (value) => !value),
  'lists soft-deleted records': {
    reply: (sent, { operation }) => {
      if (LISTS.includes(operation))
        for (const record of faults.recordsIn(sent.body).slice(3, 5)) record.IsDeleted = true;
    },
  },

  'means another unit by all of its weights': both(
    sets('TotalWeight', (weight: number | null) => weight && weight * 1000),
    items((item) => ({ ...item, Weight: Number(item.Weight) * 1000 })),
  ),
  'shifts every date, in records and filters alike': both(
    sets('CreatedDate', (date) => hours(2)(date)),
    requests(['FromDate', 'ToDate'], (date) => hours(-2)(date) ?? ''),
  ),
  'swaps two of the four statuses, in records and filters alike': both(
    sets('Status', (word) => swapped(word)),
    requests(['Status'], (name) => PASCAL[name] ?? name),
  ),
  'swaps two texts in every record': records((record) => {
    [record.CreatedBy, record.ModifiedBy] = [record.ModifiedBy, record.CreatedBy];
  }),
  'says of a deleted record that it is not': sets('IsDeleted', () => false),
  'cuts long texts off': sets('ShippingAddress', (text: string) => text.slice(0, 30)),
  'rounds numbers': sets('TotalWeight', (weight: number | null) => (weight === null ? null : Math.round(weight))),
  'sends an empty list for an error, now and then': {
    reply: (sent, { query }) => query.get('SearchTerm') === 'outage' && faults.emptyList(sent),
    requests: ['GetShippingDetails?SearchTerm=outage', 'GetShippingPagedList?SearchTerm=outage'],
  },
};

export interface NoticedRow {
  readonly name: string;
  readonly by: 'service' | 'check' | 'nobody';
  /** What the cell says in `code`: values of the service's responses, or rules of the check. */
  readonly codes: readonly string[];
}

/** The rows of the table in `docs/connecting.md`, which say in one of three columns who notices. */
export function noticedRows(): NoticedRow[] {
  const text = readFileSync(join(__dirname, '../../docs/connecting.md'), 'utf8');
  const [, section = ''] = text.split(
    '\n## What the service notices, what only the check notices, what nobody can notice\n',
  );
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => {
    const [name = '', ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const filled = cells.flatMap((cell, index) => (cell === '' ? [] : index));
    if (filled.length !== 1 || cells.length !== 3) throw new Error(`One of three columns has to be filled: ${name}`);
    const [column = 0] = filled;
    const codes = [...(cells[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    return { name, by: (['service', 'check', 'nobody'] as const)[column] ?? 'nobody', codes };
  });
}
