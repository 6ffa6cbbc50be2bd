import type { ShippingLookupItem } from '../../model/response-bodies';
import { lookupItemOf } from './response-mapping';
import type { UpstreamParameters } from './shipping-protocol';

/** The parameters that can be applied to records in memory. */
export type RecordCriteria = Pick<
  UpstreamParameters,
  'Id' | 'OrderId' | 'TrackingNumber' | 'SearchTerm' | 'Status' | 'FromDate' | 'ToDate'
>;

/**
 * Filters records in memory, and sorts them: the newest first, and equally new ones by identifier. Values that are no
 * records are kept, so that `toLookupItems` later counts them as dropped.
 *
 * @param records with the field names of `StandardRecord`
 */
export function selectRecords<Item>(records: readonly Item[], criteria: RecordCriteria): Item[] {
  return records
    .map((record) => ({ record, item: lookupItemOf(record) }))
    .filter(({ item }) => item === undefined || matches(item, criteria))
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

function newestFirst(a: ShippingLookupItem | undefined, b: ShippingLookupItem | undefined): number {
  return compare(b?.createdDate ?? '', a?.createdDate ?? '') || compare(a?.id ?? '', b?.id ?? '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
