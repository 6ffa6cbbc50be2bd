import type { Cause } from '../../../common/cause';
import { wrongShape } from '../../../resilience/upstream-failure';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../model/parameter-rules';
import { asPartial, droppedOf, type QueryResult, withCauses } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import { ShippingStatus } from '../../model/shipping-status';
import type { ComparableParameter, ShippingProtocol, UpstreamRequest } from './shipping-protocol';
import { CauseCounts } from './value-reader';

/** The body that each method of a `ShippingProtocol` returns. */
export interface ProtocolBodies {
  record: ShippingDetail | undefined;
  list: ShippingLookupItem[];
  page: PagedShippingList;
}

type Fit<Result> = (result: Result, request: UpstreamRequest, protocol: ShippingProtocol) => Result;

/** Makes the result of each method fit its request (D18), the length of a list (D73) and the total of a page (D14). */
export const FIT_TO_REQUEST: { readonly [Method in keyof ProtocolBodies]: Fit<QueryResult<ProtocolBodies[Method]>> } = {
  record: (result, request, protocol) => {
    if (result.body !== undefined) requireRequestedRecord(result.body, request, protocol);
    return result;
  },
  list: (result, request, protocol) =>
    requestedRecords(boundedList(result, request.parameters?.Limit), request, protocol),
  page: (result, request, protocol) => {
    const page = consistentPage(result);
    const list = requestedRecords({ ...page, body: page.body.items }, request, protocol);
    return { ...list, body: { ...page.body, items: list.body } };
  },
};

/**
 * Cuts a list to the requested number of records, and to 10,000 at most (D73). A list that is as long as that may lack
 * records, so that a `limit` with its length is added to a completeness of `complete` (D31). This is also done
 * for a list of 100 records, the usual default of external systems, which some send however many are requested. Any
 * other list keeps the completeness that the protocol has set.
 */
export function boundedList<Item>(list: QueryResult<Item[]>, requested?: number): QueryResult<Item[]> {
  const body = list.body.slice(0, requested ?? MAX_LIMIT);
  const count = body.length;
  const mayBeCutOff = count === requested || count === DEFAULT_LIMIT || count === MAX_LIMIT;
  const isLimited = mayBeCutOff && list.completeness.level === 'complete';
  return { ...list, body, completeness: isLimited ? { ...list.completeness, limit: count } : list.completeness };
}

/**
 * Compares paging values with the total (D14). Values that promise less, such as a last page before the end, are derived
 * from the total, because clients would not request the pages that the values hide. Values that promise more stay,
 * because systems with large tables stop counting. Where more records have come than the total has, up to this page, the
 * total itself is wrong, and the page is partial.
 */
function consistentPage(result: QueryResult<PagedShippingList>): QueryResult<PagedShippingList> {
  const page = result.body;
  const { items, totalCount, pageNumber, pageSize } = page;
  let { completeness } = result;
  const pages = pageSize > 0 ? Math.ceil(totalCount / pageSize) : page.totalPages;
  const totalPages = Math.max(page.totalPages, pages);
  const hasPreviousPage = page.hasPreviousPage || (pageNumber > 1 && totalPages > 0);
  const hasNextPage = page.hasNextPage || pageNumber < pages;
  const faults: Cause[] = [];
  if (totalPages > page.totalPages) faults.push({ field: 'TotalPages', what: 'fewer than the total needs' });
  if (hasPreviousPage && !page.hasPreviousPage)
    faults.push({ field: 'HasPreviousPage', what: 'false behind the first page' });
  if (hasNextPage && !page.hasNextPage) faults.push({ field: 'HasNextPage', what: 'false before the last page' });
  if (page.hasNextPage && pageNumber >= totalPages)
    faults.push({ field: 'HasNextPage', what: 'true on the last page' });
  const before = (pageNumber - 1) * pageSize;
  const received = Math.min(items.length + droppedOf(completeness), pageSize);
  // Records may have been deleted meanwhile, so that the page is not partial for that.
  if (received < Math.min(pageSize, totalCount - before))
    faults.push({ field: 'Items', what: 'fewer than the total promises' });
  if (faults.length > 0) completeness = withCauses(completeness, faults);
  if (received > 0 && before + received > totalCount) {
    completeness = asPartial(completeness, [{ field: 'TotalCount', what: 'fewer than the records up to this page' }]);
  }
  return { ...result, body: { ...page, totalPages, hasPreviousPage, hasNextPage }, completeness };
}

/**
 * Differences between texts that people take for the same, by the words of a cause. Zeros are removed where they begin
 * a number, and dashes after them, because `1-01` without its dash would be another number.
 */
const DIFFERENCES: readonly (readonly [name: string, remove: (text: string) => string])[] = [
  ['Unicode normalisation', (text) => text.normalize('NFC')],
  ['case', (text) => text.toLowerCase()],
  ['blanks', (text) => text.replace(/[\s\p{Cf}]/gu, '')],
  ['zeros', (text) => text.replace(/(?<!\d)0+(?=\d)/g, '')],
  ['dashes', (text) => text.replace(/[\p{Pd}\u2212]/gu, '')],
];
/** Those that are none for an order id and a tracking number, because carriers reformat them (D18). */
const FORMATS = DIFFERENCES.filter(([name]) => name !== 'zeros');

const FIELDS = [
  ['OrderId', 'orderId'],
  ['TrackingNumber', 'trackingNumber'],
  ['Status', 'status'],
] as const satisfies readonly (readonly [ComparableParameter, keyof ShippingLookupItem])[];
type ComparedRecord = Pick<ShippingLookupItem, (typeof FIELDS)[number][1]>;

/** The Id of an object with default values: 0, or a UUID of zeros. */
const ZERO_ID = /^[0-]+$/;

/**
 * Refuses a record that is not the requested one. It may belong to somebody else, as where a late response arrives on a
 * connection that is used again, or where the external system ignores a parameter that it does not know (D18).
 *
 * @throws {UpstreamFailure}
 */
function requireRequestedRecord(record: ShippingDetail, request: UpstreamRequest, protocol: ShippingProtocol): void {
  const Id = request.id ?? request.parameters?.Id;
  if (Id !== undefined && record.id.toLowerCase() !== Id.toLowerCase()) throw another('Id', Id, record.id);
  for (const { name, requested, field } of comparisonsOf(request, protocol)) {
    const value = record[field];
    if (isAnother(name, requested, value)) throw another(name, requested, value ?? '');
    // Some systems return an object with the default values of its class where they find nothing.
    const isDefault = Id === undefined && ZERO_ID.test(record.id) && (value ?? '').trim() === '';
    if (isDefault) throw wrongShape(`a default object: an Id of zeros and no ${name}`);
  }
}

/**
 * Drops the records that have another value than a filter asked for: the external system ignores the filter (D18).
 * A request without a filter costs no comparison.
 */
function requestedRecords<Item extends ComparedRecord>(
  list: QueryResult<Item[]>,
  request: UpstreamRequest,
  protocol: ShippingProtocol,
): QueryResult<Item[]> {
  const comparisons = comparisonsOf(request, protocol);
  if (comparisons.length === 0) return list;
  const dropped = new CauseCounts();
  const body = list.body.filter((record) => {
    const other = comparisons.find(({ name, requested, field }) => isAnother(name, requested, record[field]));
    if (other !== undefined) dropped.add(`records with another ${other.name}`);
    return other === undefined;
  });
  if (body.length === list.body.length) return list;
  const completeness = asPartial(list.completeness, dropped.causes, list.body.length - body.length);
  return { ...list, body, completeness };
}

/** The fields of a record that have to be as requested. */
function comparisonsOf({ parameters = {} }: UpstreamRequest, { notComparable = [] }: ShippingProtocol) {
  return FIELDS.flatMap(([name, field]) => {
    const requested: unknown = parameters[name];
    if (typeof requested !== 'string' || notComparable.includes(name)) return [];
    return [{ name, requested, field }];
  });
}

/** Whether a record has another value than the requested one. */
function isAnother(name: ComparableParameter, requested: string, value: string | null): boolean {
  if (value === null || value === requested) return false;
  const unknown: string = ShippingStatus.Unknown;
  // A status word that is not known passes: a system with words of its own filters rightly by them, and all of its
  // records would be dropped. A filter for `Unknown` may get any word.
  if (name === 'Status') return requested !== unknown && value !== unknown;
  const received = without(FORMATS, value);
  // A blank text, or a dash for "none", is an absent value, which passes.
  return received !== '' && received !== without(FORMATS, requested);
}

function without(differences: typeof FORMATS, text: string): string {
  return differences.reduce((each, [, remove]) => remove(each), text);
}

/** The failure that names what differs, where it is something that is easily overlooked, but no value (D81). */
function another(name: string, requested: string, received: string): Error {
  const areEqualBut = (exception?: string): boolean => {
    const others = DIFFERENCES.filter(([difference]) => difference !== exception);
    return without(others, requested) === without(others, received);
  };
  const names = DIFFERENCES.map(([difference]) => difference);
  const differing = areEqualBut() ? names.filter((difference) => !areEqualBut(difference)) : [];
  const only = differing.length === 0 ? '' : `: differs only in ${differing.join(' and ')}`;
  return wrongShape(`another ${name} than the one requested${only}`);
}
