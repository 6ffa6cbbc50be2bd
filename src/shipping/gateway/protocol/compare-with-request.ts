import type { Cause } from '../../../common/errors';
import { wrongShape } from '../../../resilience/upstream-failure';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../model/parameter-rules';
import { asPartial, droppedOf, limitedTo, type QueryResult, withCauses } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail } from '../../model/response-bodies';
import { ShippingStatus } from '../../model/shipping-status';
import { NO_FILTERS, type ShippingProtocol, type UpstreamParameters, type UpstreamRequest } from './shipping-protocol';
import { CauseCounts, isAbsent } from './value-reader';

export type Method = 'record' | 'list' | 'page';
/** The body that each method of a `ShippingProtocol` returns. */
type Bodies = { readonly [M in Method]: Awaited<ReturnType<ShippingProtocol[M]>>['body'] };
export type ResultOf<M extends Method> = QueryResult<Bodies[M]>;

/** Compares the result of each method with its request, and returns one that fits the request. */
export type Comparison = { readonly [M in Method]: (result: ResultOf<M>) => ResultOf<M> };

export class ComparisonWithRequest implements Comparison {
  constructor(
    private readonly request: UpstreamRequest,
    private readonly protocol: ShippingProtocol,
  ) {}

  /**
   * Refuses a record that is not the requested one. It may belong to somebody else, as where a late response arrives on a
   * connection that is used again, or where the external system ignores a parameter that it does not know (D18).
   *
   * @throws {UpstreamFailure}
   */
  record(result: ResultOf<'record'>): ResultOf<'record'> {
    const record = result.body;
    if (record === undefined) return result;
    const Id = this.request.id ?? this.request.parameters?.Id;
    const hasOtherId = Id !== undefined && record.id.toLowerCase() !== Id.toLowerCase();
    const values = this.valuesOf(record);
    const other = hasOtherId ? 'Id' : otherValueOf(record, values);
    if (other !== undefined) throw wrongShape(`another ${other} than the one requested`);
    // Some systems return an object with the default values of its class where they find nothing.
    const isDefault = Id === undefined && ZERO_ID.test(record.id);
    const absent = values.find(({ field }) => isDefault && isAbsent(record[field as keyof ShippingDetail]));
    if (absent !== undefined) throw wrongShape(`a default object: an Id of zeros and no ${absent.name}`);
    return result;
  }

  /** The length of the list is bounded, too (D73). */
  list(result: ResultOf<'list'>): ResultOf<'list'> {
    return this.requestedRecords(boundedList(result, this.request.parameters?.Limit));
  }

  page(result: ResultOf<'page'>): ResultOf<'page'> {
    const page = consistentPage(result, this.request.parameters?.PageNumber);
    const list: QueryResult<PagedShippingList['items']> = { body: page.body.items, completeness: page.completeness };
    const requested = this.requestedRecords(list);
    return requested === list ? page : { ...page, ...requested, body: { ...page.body, items: requested.body } };
  }

  /**
   * Drops the records that have another value than a filter asked for: the external system ignores the filter (D18).
   * Records with the same Id stay, but make the list partial: one of them may be another record (D14).
   */
  private requestedRecords<Item extends { readonly id: string }>(list: QueryResult<Item[]>): QueryResult<Item[]> {
    const values = this.valuesOf(list.body[0]);
    const wrong = new CauseCounts();
    const fits = (record: Item): boolean => {
      const other = otherValueOf(record, values);
      if (other !== undefined) wrong.add(`records with another ${other}`);
      return other === undefined;
    };
    const body = values.length === 0 ? list.body : list.body.filter(fits);
    const repeated = body.length - new Set(body.map(({ id }) => id)).size;
    if (repeated > 0) wrong.add('records with the Id of another', { count: repeated });
    if (wrong.causes.length === 0) return list;
    const completeness = asPartial(list.completeness, wrong.causes, list.body.length - body.length);
    return { ...list, body, completeness };
  }

  /**
   * The values of a record that have to be as requested (D18): those of the parameters whose names are fields of the
   * record, `CreatedBy` of `createdBy`, and those that the operation declares. A filter of a team is compared without a
   * word: where the external system ignores it, the list is not called complete. Only where no field shows its value,
   * nothing can be compared.
   */
  private valuesOf(record: object = {}): RequestedValue[] {
    const { parameters = {}, operation } = this.request;
    const values: RequestedValue[] = [];
    for (const name of Object.keys(parameters)) {
      const requested: unknown = parameters[name as keyof UpstreamParameters];
      if (requested == null || NO_FILTERS.some((other) => other === name)) continue;
      if (this.protocol.notComparable?.includes(name) === true) continue;
      const field = operation.fields?.[name] ?? name.charAt(0).toLowerCase() + name.slice(1);
      if (field in record) values.push({ name, field, requested: [requested].flat() });
    }
    return values;
  }
}

/** The Id of an object with default values: 0, or a UUID of zeros. */
const ZERO_ID = /^[0-]+$/;

/** The values of a filter, and the field of a record that has to have one of them. */
interface RequestedValue {
  readonly name: string;
  readonly field: string;
  readonly requested: readonly unknown[];
}

/** The name of a parameter of which a record has another value than the requested one. */
function otherValueOf(record: object, values: readonly RequestedValue[]): string | undefined {
  return values.find((each) => isAnother((record as Readonly<Record<string, unknown>>)[each.field], each))?.name;
}

/** An absent value passes, and so do a blank and a dash. */
function isAnother(value: unknown, { field, requested }: RequestedValue): boolean {
  // A filter of another type than the field, such as a date, asks for something else than this value.
  const comparable = requested.filter((each) => typeof each === typeof value);
  if (comparable.length === 0 || comparable.includes(value)) return false;
  if (typeof value !== 'string') return typeof value !== 'object';
  const unknown: string = ShippingStatus.Unknown;
  // A status word that is not known passes: a system with words of its own filters rightly by them, and all of its
  // records would be dropped. A filter for `Unknown` may get any word.
  if (field === 'status') return !comparable.includes(unknown) && value !== unknown;
  if (value.length > MAX_COMPARED) return true;
  const received = normalForm(value);
  return received !== '' && !comparable.some((each) => normalForm(String(each)) === received);
}

/** The most characters of a received text that are read for a comparison: normalising takes quadratic time. */
const MAX_COMPARED = 256;

/** One form of all the texts that carriers write for one identifier (D18). */
function normalForm(text: string): string {
  const form = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Cf}\p{Pd}\u2212]/gu, '');
  return /^\d+$/.test(form) ? form.replace(/^0+(?=\d)/, '') : form;
}

/**
 * Cuts a list to the requested number of records, and to 10,000 at most (D73). A list that is as long as that may lack
 * records, so that a `limit` with its length is added to a completeness of `complete` (D31). This is also done
 * for a list of 100 records, the usual default of external systems, which some send however many are requested. Any
 * other list keeps the completeness that the protocol has set.
 */
function boundedList<Item>(list: QueryResult<Item[]>, most = MAX_LIMIT): QueryResult<Item[]> {
  const body = list.body.slice(0, most);
  const mayBeCutOff = body.length === most || body.length === DEFAULT_LIMIT;
  return { ...list, body, completeness: mayBeCutOff ? limitedTo(body.length, list.completeness) : list.completeness };
}

/**
 * Compares paging values with the total (D14). Values that promise less, such as a last page before the end, are derived
 * from the total, because clients would not request the pages that the values hide. Values that promise more stay,
 * because systems with large tables stop counting. Where more records have come than the total has, up to this page, the
 * total itself is wrong, and the page is partial. So is another page than the requested one: a cache or a system that
 * ignores the query sends the first page for each.
 */
function consistentPage(result: ResultOf<'page'>, requested?: number): ResultOf<'page'> {
  const { body: page, completeness } = result;
  const { items, totalCount, pageNumber, pageSize } = page;
  const pages = pageSize > 0 ? Math.ceil(totalCount / pageSize) : page.totalPages;
  const totalPages = Math.max(page.totalPages, pages);
  const hasPreviousPage = page.hasPreviousPage || (pageNumber > 1 && totalPages > 0);
  const hasNextPage = page.hasNextPage || pageNumber < pages;
  const received = Math.min(items.length + droppedOf(completeness), pageSize);
  const before = (pageNumber - 1) * pageSize;
  const faults: Cause[] = [];
  if (totalPages > page.totalPages) faults.push(cause('TotalPages', 'fewer than the total needs'));
  if (hasPreviousPage && !page.hasPreviousPage) faults.push(cause('HasPreviousPage', 'false behind the first page'));
  if (hasNextPage && !page.hasNextPage) faults.push(cause('HasNextPage', 'false before the last page'));
  if (page.hasNextPage && pageNumber >= totalPages) faults.push(cause('HasNextPage', 'true on the last page'));
  // Records may have been deleted meanwhile, so that the page is not partial for that.
  if (received < Math.min(pageSize, totalCount - before)) faults.push(cause('Items', 'fewer than the total promises'));
  const wrong: Cause[] = [];
  if (received > 0 && before + received > totalCount)
    wrong.push(cause('TotalCount', 'fewer than the records up to this page'));
  if (requested !== undefined && pageNumber !== requested)
    wrong.push(cause('PageNumber', 'another than the one requested'));
  const causes = [...faults, ...wrong];
  if (causes.length === 0) return result;
  const found = wrong.length > 0 ? asPartial(completeness, causes) : withCauses(completeness, causes);
  return { ...result, body: { ...page, totalPages, hasPreviousPage, hasNextPage }, completeness: found };
}

const cause = (field: string, what: string): Cause => ({ field, what });
