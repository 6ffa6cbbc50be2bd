import { UpstreamFailure } from '../../../resilience/upstream-failure';
import type { ShippingLookupItem } from '../../model/response-bodies';
import { toLookupItem } from './response-mapping';
import type { FILTERS, Send, UpstreamParameters, UpstreamResponse, UpstreamTarget } from './shipping-protocol';
import { ValueReader } from './value-reader';

/** One part of a list: its items, and the request of the next part. */
export interface CollectedPart<Item> {
  /**
   * The items to collect. Where the external system cannot filter, these are only the records that match: `read` has
   * filtered them.
   */
  readonly items: readonly Item[];
  /**
   * The request of the next part, by a cursor, an offset, a page number or a URL; `undefined` at the end of the list.
   */
  readonly next: UpstreamTarget | undefined;
}

/**
 * Reads a list in parts, one after the other, until enough items are found or the list ends.
 *
 * @param read reads one response; throws an `UpstreamFailure` where the response is of no use
 * @param enough the number of items after which reading ends; by default, the whole list is read
 * @param maxRequests the most requests for one list; where it needs more, `collect` throws. Each request has the time
 * of an attempt, and all of them together have the time of the call
 * @returns at most `enough` items, in the order of the parts
 * @throws {UpstreamFailure} where more requests would be needed: part of a list must not be taken for the whole
 */
export async function collect<Item>(
  send: Send,
  first: UpstreamTarget,
  read: (response: UpstreamResponse) => CollectedPart<Item>,
  { enough = Infinity, maxRequests }: { readonly enough?: number; readonly maxRequests: number },
): Promise<Item[]> {
  const items: Item[] = [];
  let target = first;
  for (let requests = 1; requests <= maxRequests; requests += 1) {
    const part = read(await send(target));
    for (const item of part.items) items.push(item);
    if (items.length >= enough || part.next === undefined) return items.slice(0, enough);
    target = part.next;
  }
  // The bound is the protocol's own: the external system has done nothing wrong.
  throw new UpstreamFailure('internal', `the list needs more than ${maxRequests} requests`);
}

/** The parameters that can be applied to records in memory. */
export type RecordCriteria = Pick<UpstreamParameters, (typeof FILTERS)[number]>;

/**
 * Filters records in memory, and sorts them: the newest first, and equally new ones by identifier. Values that are no
 * records are kept, so that `toLookupItems` later counts them as dropped.
 *
 * @param records with the field names of `StandardRecord`
 */
export function selectRecords<Item>(records: readonly Item[], criteria: RecordCriteria): Item[] {
  return records
    .map((record) => ({ record, item: toLookupItem(record, new ValueReader()) }))
    .filter(({ item }) => item === null || matches(item, criteria))
    .sort((a, b) => newestFirst(a.item, b.item))
    .map(({ record }) => record);
}

function matches(item: ShippingLookupItem, criteria: RecordCriteria): boolean {
  const { Id, OrderId, TrackingNumber, SearchTerm, Status, FromDate, ToDate } = criteria;
  const searched = `${item.shippingAddress ?? ''}\n${item.trackingNumber ?? ''}`.toLowerCase();
  const createdDate = item.createdDate ?? '';
  return (
    (Id === undefined || item.id === Id) &&
    (OrderId === undefined || item.orderId === OrderId) &&
    (TrackingNumber === undefined || item.trackingNumber === TrackingNumber) &&
    (Status === undefined || item.status === Status) &&
    (SearchTerm === undefined || searched.includes(SearchTerm.toLowerCase())) &&
    (FromDate === undefined || createdDate >= FromDate.toISOString()) &&
    (ToDate === undefined || (createdDate !== '' && createdDate <= ToDate.toISOString()))
  );
}

function newestFirst(a: ShippingLookupItem | null, b: ShippingLookupItem | null): number {
  return compare(b?.createdDate ?? '', a?.createdDate ?? '') || compare(a?.id ?? '', b?.id ?? '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
