import { Injectable } from '@nestjs/common';
import {
  bodyOf,
  collect,
  type CollectedPart,
  COMPLETE,
  DEFAULT_LIMIT,
  isUpstreamObject,
  PAGE_NUMBER,
  PAGE_SIZE,
  type PagedShippingList,
  type QueryResult,
  selectRecords,
  type Send,
  type ShippingDetail,
  type ShippingLookupItem,
  ShippingProtocol,
  type StandardRecord,
  type StatusWord,
  toLookupItems,
  toPagedList,
  toShippingDetail,
  type UpstreamParameters,
  type UpstreamRequest,
  type UpstreamResponse,
  wrongShape,
} from 'shipping-query-service';

const PARCELS = '/v1/parcels';
const PART_SIZE = 100;
/**
 * The most requests to the carrier for one query. All of them share the deadline of the call, 5 seconds by default.
 */
const MAX_REQUESTS = 5;

const STATUS_WORDS: ReadonlyMap<unknown, StatusWord> = new Map([
  ['NEW', 'created'],
  ['MOVING', 'in_transit'],
  ['DONE', 'delivered'],
  ['VOID', 'cancelled'],
]);

/**
 * A parcel with the field names of the specification, which the service maps; `undefined` for an entry that is no
 * object, so that the service reports the response as partial.
 */
type Parcel = StandardRecord | undefined;

/**
 * The wire format of a carrier whose lists have a cursor, no filters and no total. A page has to name the total, so the
 * whole list is read for it, up to 500 parcels (5 requests of 100). With more parcels the total cannot be known, and
 * the page is unavailable.
 */
@Injectable()
export class CursorCarrierProtocol extends ShippingProtocol {
  /** All of them are applied here. */
  override readonly parameters = 'Id OrderId TrackingNumber SearchTerm Status FromDate ToDate SortBy'.split(' ');
  override readonly sortKeys = ['CreatedDate'] as const;

  async record({ id, parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>> {
    const { Id = id } = parameters;
    const found = Id === undefined ? await readParcels(parameters, 1, send) : await readById(Id, parameters, send);
    return found.length === 0 ? { body: undefined, completeness: COMPLETE } : toShippingDetail(found[0]);
  }

  async list({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    return toLookupItems({ ShippingDetails: await readParcels(parameters, parameters.Limit ?? DEFAULT_LIMIT, send) });
  }

  async page({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const { PageNumber = PAGE_NUMBER.default, PageSize = PAGE_SIZE.default, SortBy, SortDirection } = parameters;
    const found = await readParcels(parameters, Infinity, send);
    if (SortBy === 'CreatedDate' && SortDirection === 'asc') found.reverse();
    const start = (PageNumber - 1) * PageSize;
    const Items = found.slice(start, start + PageSize);
    return toPagedList({ Items, TotalCount: found.length, PageNumber, PageSize });
  }
}

async function readById(id: string, criteria: UpstreamParameters, send: Send): Promise<Parcel[]> {
  const response = await send({ path: `${PARCELS}/{id}`, id });
  const isUnknown = response.status === 404 && String(response.data).includes('"error"');
  return isUnknown ? [] : selectRecords([standardRecord(bodyOf(response))], criteria);
}

/**
 * Reads parcels, the newest first, until `enough` match. All filters are applied here, because the carrier has none.
 */
function readParcels(criteria: UpstreamParameters, enough: number, send: Send): Promise<Parcel[]> {
  const read = (response: UpstreamResponse): CollectedPart<Parcel> => {
    const body = bodyOf(response);
    if (!isUpstreamObject(body) || !Array.isArray(body.data)) throw wrongShape('no valid data');
    const next = body.next == null ? undefined : { path: PARCELS, next: body.next as string };
    return { items: selectRecords(body.data.map(standardRecord), criteria), next };
  };
  return collect(send, { path: PARCELS, query: { size: PART_SIZE } }, read, { enough, maxRequests: MAX_REQUESTS });
}

function standardRecord(value: unknown): Parcel {
  if (!isUpstreamObject(value)) return undefined;
  const { grams, state } = value;
  return {
    Id: value.id,
    OrderId: value.reference,
    ShippingAddress: value.recipient,
    TrackingNumber: value.tracking,
    // A status that is not in the table is passed on as it is: the service makes it `Unknown`, and logs its text.
    Status: STATUS_WORDS.get(state) ?? (state as null),
    TotalWeight: typeof grams === 'number' ? grams / 1000 : grams,
    CreatedDate: value.created,
  };
}
