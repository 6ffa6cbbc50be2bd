import { closesEarly, neverResponds } from '../../testing/upstream/connection-faults';
import * as faults from './faults';
import {
  asLatin1,
  behaves,
  both,
  hours,
  ignores,
  items,
  list,
  LISTS,
  LOOKUPS,
  records,
  renames,
  requests,
  responds,
  responses,
  type Scenario,
  sets,
} from './scenario';

const SWAPPED: Readonly<Record<string, string>> = { delivered: 'cancelled', cancelled: 'delivered' };
const swapped = (word?: string): string | undefined => SWAPPED[word?.toLowerCase() ?? ''] ?? word;
const PASCAL: Readonly<Record<string, string>> = { Delivered: 'Cancelled', Cancelled: 'Delivered' };
const SHORT = { EXTERNAL_SHIPPING_TIMEOUT_MS: '400', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '200' };
const LOOKUP_BY_ORDER = ['GetShippingSingle?OrderId=ORD-000001'];
const FILTERED = ['GetShippingDetails?OrderId=ORD-000001', 'GetShippingPagedList?Status=Delivered&PageSize=50'];

/** The rows by their names. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'sends HTML with status 200': responds(200, '<!doctype html><title>Sign in</title>', 'text/html'),
  'sends an error as JSON with status 200': responds(200, { error: { code: 17 } }),
  'redirects to a login': responds(302, ''),
  'refuses the credential': responds(401, {}),
  'breaks off in the middle of a body': behaves(closesEarly()),
  'sends nothing before the deadline': behaves(neverResponds(), SHORT),
  'sends another record than that with the Id': sets('Id', () => 'SHP-OTHER', LOOKUPS),
  'sends another record than that with the OrderId': {
    ...records((record, { query }) => query.has('OrderId') && (record.OrderId = 'ORD-OTHER'), ['single']),
    requests: LOOKUP_BY_ORDER,
  },
  'ignores `OrderId` or `Status`': { ...ignores('OrderId', 'Status'), requests: FILTERED },
  'sends numbers with a unit': sets('TotalWeight', (weight) => `${String(weight)} kg`),
  'sends numbers with a decimal comma': sets('TotalWeight', (weight) => String(weight).replace(/(?:\..*)?$/, ',50')),
  'sends dates as `DD.MM.YYYY`': sets('CreatedDate', () => '14.03.2026'),
  'sends dates as seconds since 1970': sets('CreatedDate', (date) => Date.parse(date) / 1000),
  'sends booleans as `yes` and `no`': sets('IsDeleted', (value: boolean) => (value ? 'yes' : 'no')),
  'sends identifiers as numbers beyond 2^53': sets('OrderId', () => 2 ** 60),
  'sends objects where texts belong': sets('ShippingAddress', (text) => ({ text })),
  'sends `null` among the records': responses(({ body }) => faults.recordsIn(body).push(null as never), LISTS),
  'sends references (`{"$ref":"2"}`) instead of records': responses(({ body }) => {
    const own = faults.recordsIn(body);
    own.splice(1, own.length, ...own.slice(1).map(() => ({ $ref: '2' })));
  }, LISTS),
  'sends references instead of shipping items': items(() => ({ $ref: '2' })),
  'sends records without an identifier, or spells it `ID`': renames({ Id: 'ID' }),
  'sends Latin-1 that says UTF-8': responses((sent) => (sent.body = Buffer.from(JSON.stringify(sent.body), 'latin1'))),
  'sends more records than `PageSize`': both(
    faults.pageSize((asked) => asked + 5),
    faults.page(({ PageSize }) => ({ PageSize: PageSize - 5 })),
  ),
  'ignores `Limit`': { ...ignores('Limit'), requests: ['GetShippingDetails?Limit=5'] },
  'labels UTF-8 as `ISO-8859-1`': responses((sent) => (sent.contentType = 'application/json; charset=ISO-8859-1')),
  'says `HasNextPage: false` before the last page': faults.page(() => ({ HasNextPage: false })),
  'counts fewer records than a page has': faults.page(() => ({ TotalCount: 7, TotalPages: 1 })),
  'writes most statuses in other words, such as `on_hold`': sets('Status', (word: string) =>
    /created/i.test(word) ? word : 'on_hold',
  ),

  'calls `IsDeleted` `deleted`': renames({ IsDeleted: 'deleted' }),
  'spells names in another case, such as `orderid`': renames({ OrderId: 'orderid', TrackingNumber: 'tracking_number' }),
  'leaves `ModifiedDate` or `ModifiedBy` out': renames({ ModifiedBy: 'x', ModifiedDate: 'y' }),
  'renames fields of the items, such as `Qty`': items(({ Quantity, ...rest }) => ({ ...rest, Qty: Quantity })),
  'leaves `ShippingItems` out': renames({ ShippingItems: 'Lines' }),
  'sends a field that is always empty': sets('TrackingNumber', () => ''),
  'leaves the first status of its enumeration out': records((record) => {
    if (record.Status === 'created') Reflect.deleteProperty(record, 'Status');
  }),
  'sends numbers or booleans as text': records((record) => {
    if (typeof record.TotalWeight === 'number') record.TotalWeight = `${record.TotalWeight}`;
    record.IsDeleted = String(record.IsDeleted);
  }),
  'sends dates without a zone': sets('CreatedDate', (date: string | null) => date?.replace('Z', '')),
  'labels JSON as `text/html`': responses((sent) => (sent.contentType = 'text/html; charset=utf-8')),
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
  'searches whole words only': requests(['SearchTerm'], (term) => (/^\p{Ll}/u.test(term) ? '~' : term)),
  'loses characters beyond ASCII of a request': requests(['SearchTerm'], (term) => term.replace(/[^\0-\x7f]/g, '?')),
  'sends texts that were decoded wrongly (`ZÃ¼rich`)': sets('ShippingAddress', (text) => asLatin1(text)),
  'sends `?` for characters that its database lacks': sets('ShippingAddress', (text: string) =>
    text.replace(/[^\0-\x7f]/g, '?'),
  ),
  'sends HTML entities in texts': sets('ShippingAddress', (text: string) => text.replace(/[^\0-\x7f]/g, '&uuml;')),
  'ignores `SortBy`': { ...faults.request('paged', (query) => { query.set('SortBy', 'CreatedDate'); }) }, // prettier-ignore
  'ignores `SortDirection`': faults.request('paged', (query) => { query.set('SortDirection', 'desc'); }), // prettier-ignore
  'orders equal values differently each time': faults.page(({ Items: [first, second, ...rest] }, { query, number }) => {
    return query.get('SortBy') === 'Status' && number % 2 === 0 && { Items: [second, first, ...rest] };
  }),
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
  'counts one record too many': faults.page(({ TotalCount: count, PageSize: size }) => {
    return count > size && { TotalCount: count + 1, TotalPages: Math.ceil((count + 1) / size) };
  }),
  'counts deleted records that it does not list': faults.page(({ TotalCount: all, PageSize: size }) => {
    return all > 100 && { TotalCount: all + 17, TotalPages: Math.ceil((all + 17) / size) };
  }),
  'counts without the filter': faults.page((of, { query }) => {
    return query.has('OrderId') && { TotalCount: of.TotalCount + 20 };
  }),
  'sends records beyond the last page': faults.page((of) => of.PageNumber > 900 && { Items: [{ Id: 'SHP-1' }] }),
  'ends the unpaged list early': list((own) => own.slice(0, 70)),
  'repeats a record of the unpaged list': list((own) =>
    own.map((record, index) => (index === 60 ? (own[0] ?? {}) : record)),
  ),
  'sends a default record for an unknown identifier': {
    response: (sent, { id }) => sent.status === 404 && /^[\w-]+$/.test(id) && faults.replace(sent, 200, { Id: id }),
  },
  'sends other values in a list than on a lookup': sets('TotalWeight', () => 1, LISTS),
  'sends other values by `Id` than by identifier': sets('ModifiedBy', () => 'somebody', ['single']),
  'sends the oldest record of an order': {
    response: (sent, { query, operation }) => {
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
    response: (sent, { operation }) => {
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
  'hides deleted records from lookups': {
    response: (sent, { operation }) => {
      const isHidden = LOOKUPS.includes(operation) && Object(sent.body).IsDeleted === true;
      return isHidden && faults.replace(sent, 404, {});
    },
  },
  'sends a name twice in an object': responses((sent) => {
    sent.body = JSON.stringify(sent.body).replaceAll('"OrderId":', '"OrderId":"ORD-LOST","OrderId":');
  }),
  'cuts long texts off': sets('ShippingAddress', (text: string) => text.slice(0, 30)),
  'rounds numbers': sets('TotalWeight', (weight: number | null) => (weight === null ? null : Math.round(weight))),
  'sends an empty list for an error, now and then': {
    response: (sent, { query }) => query.get('SearchTerm') === 'outage' && faults.emptyList(sent),
    requests: ['GetShippingDetails?SearchTerm=outage', 'GetShippingPagedList?SearchTerm=outage'],
  },
};
