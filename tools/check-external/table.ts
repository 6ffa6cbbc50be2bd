import type { CheckedSystem } from './checked-system';
import * as contents from './contents';
import * as fields from './fields';
import * as filters from './filters';
import * as lookups from './lookups';
import * as paging from './paging';
import { signs } from './signs';
import * as sorting from './sorting';

/**
 * One rule. `check` may return a remark: what is legal, and mostly a fault. `needs` names the rules, further up, that
 * have to pass first. No text contains a value of a record.
 */
export type Row = readonly [
  rule: string,
  sent: string,
  mustCome: string,
  needs: string,
  check: (system: CheckedSystem) => unknown,
];

const LISTS = ['paged', 'details'] as const;

// prettier-ignore
export const TABLE: readonly Row[] = [
  ['paged-body', 'the paged list', '200 with the array Items and the integer TotalCount', '', (system: CheckedSystem): unknown => system.page()],
  ['details-body', 'the unpaged list', '200 with the array ShippingDetails', '', (system: CheckedSystem): unknown => system.list()],
  ['single-body', 'a lookup by Id', '200 with the record that has this Id', '', lookups.body('single')],
  ['by-id-body', 'a lookup by identifier', '200 with the record that has this Id', '', lookups.body('by-id')],
  ...LISTS.flatMap((list): Row[] => [
    [`${list}-order-id`, 'OrderId', 'the records with it; 200 and none for an unknown one', `${list}-body`, filters.orderId(list)],
    [`${list}-status`, 'Status, each of the four', 'the records with it, as created, in_transit, delivered or cancelled', `${list}-body`, filters.status(list)],
    [`${list}-search-term`, 'SearchTerm', 'the records with it in address or tracking number', `${list}-body`, filters.searchTerm(list)],
    [`${list}-from-date`, 'FromDate', 'the records created on or after it', `${list}-order-id`, filters.fromDate(list)],
    [`${list}-to-date`, 'ToDate', 'the records created on or before it', `${list}-order-id`, filters.toDate(list)],
  ]),
  ['page-size', 'PageSize', 'as many records, fewer only on the last page', 'paged-body', paging.pageSize],
  ['page-values', 'PageNumber, PageSize', 'both, TotalPages and both flags, as TotalCount says', 'page-size', paging.values],
  ['page-order', 'eight pages, by creation and by Status', 'every record once', 'page-size', paging.order],
  ['page-total', 'the last page, also with OrderId, and with Status', 'as many records as TotalCount says', 'page-size paged-order-id', paging.total],
  ['page-beyond', 'a PageNumber beyond the last', '200 with no Items', 'page-size', paging.beyond],
  ['limit', 'Limit', 'as many records at most', 'details-body', paging.limit],
  ['body-size', 'the list without Limit', 'at most EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES', 'details-body', (system: CheckedSystem): unknown => system.list({})],
  ['list-total', 'the unpaged list, with Limit and without', 'all records once, as many as TotalCount says; without Limit perhaps 100', 'paged-body body-size', paging.listTotal],
  ['search-beyond-ascii', 'SearchTerm with a letter beyond ASCII', 'the records with it', 'paged-search-term', contents.searchBeyondAscii],
  ['identifiers', 'nothing', 'identifiers that SHIPPING_ID_PATTERN accepts', '', lookups.identifiers],
  ['references', 'nothing', 'order ids and tracking numbers of 64 characters at most', '', signs('references')],
  ['by-id-record', 'listed identifiers', 'the records, with the values of the list', 'by-id-body', lookups.record],
  ['single-record', 'a listed identifier as Id', 'the record that comes by identifier', 'single-body by-id-body', lookups.sameRecord],
  ['single-order-id', 'OrderId', 'a record with it', 'single-body', lookups.criterion('OrderId')],
  ['single-tracking-number', 'TrackingNumber', 'a record with it', 'single-body', lookups.criterion('TrackingNumber')],
  ['single-newest', 'OrderId of several records', 'the newest, then the smallest Id', 'single-order-id details-order-id', lookups.newest],
  ['single-criteria', 'Id with another Status or date', 'no match: all criteria count', 'single-body', lookups.narrowed],
  ['single-not-found', 'unknown criteria', '404, 204 or null', 'single-body', lookups.criteriaNotFound],
  ['by-id-not-found', 'an unknown identifier', '404, 204 or null', 'by-id-body', lookups.idNotFound],
  ['by-id-encoding', 'an identifier with / ? # % and a space', '404, 204 or null: one segment', 'by-id-not-found', lookups.encoding],
  ...(['asc', 'desc'] as const).flatMap((direction): Row[] => [
    [`sort-created-date-${direction}`, `SortBy=CreatedDate, ${direction}`, 'that order on all pages', 'page-size', sorting.values('CreatedDate', direction)],
    [`sort-tracking-number-${direction}`, `SortBy=TrackingNumber, ${direction}`, 'that order on all pages', 'page-size', sorting.values('TrackingNumber', direction)],
  ]),
  ['sort-status', 'SortBy=Status, asc and desc', 'records grouped by status, in opposite orders', 'page-size', sorting.status],
  ...['paged', 'details', 'single', 'by-id'].map((name): Row => 
    [`${name}-values`, 'all requests', 'values of the right types', `${name}-body`, contents.values(name)]),
  ['paged-fields', 'all requests', 'every documented field in some record', 'paged-body', fields.fields('paged')],
  ['details-fields', 'all requests', 'every documented field in some record', 'details-body', fields.fields('details')],
  ['lookup-fields', 'all requests', 'every documented field in some record', 'by-id-body', fields.fields('lookup')],
  ['status-words', 'all requests', 'created, in_transit, delivered, cancelled in half of the records at least', '', contents.statusWords],
  ['soft-deleted', 'the lists', 'records that are not soft-deleted', '', contents.deleted],
  ['texts', 'all requests', 'texts without signs of a wrong charset', '', contents.texts],
  ['whole', 'all requests', 'lists that name no failure, time-out or missing part', '', signs('whole')],
  ['list-ends', 'all requests', 'as many records as asked for, or all', 'details-body', paging.ends],
  ['fresh', 'all requests', 'responses that no cache has kept for hours', '', signs('fresh')],
  ['dates', 'all requests', 'dates between 1971 and 50 years from now, with a zone', '', signs('dates')],
  ['texts-of-null', 'all requests', 'null, and no text "null"', '', signs('texts-of-null')],
];
