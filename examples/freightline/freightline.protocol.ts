import { Injectable } from '@nestjs/common';
import { oversized, wrongShape } from '../../src/resilience/http-failures';
import { toLookupItems, toPagedList, toShippingDetail } from '../../src/shipping/gateway/protocol/response-mapping';
import {
  ShippingProtocol,
  type Send,
  type UpstreamParameters,
  type UpstreamRequest,
} from '../../src/shipping/gateway/protocol/shipping-protocol';
import { isUpstreamObject, type UpstreamObject } from '../../src/shipping/gateway/protocol/value-reader';
import { bodyOf, type UpstreamResponse } from '../../src/shipping/gateway/transport/upstream-response';
import { PAGE_NUMBER, PAGE_SIZE } from '../../src/shipping/model/parameter-bounds';
import { NO_MATCH, type QueryResult } from '../../src/shipping/model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../src/shipping/model/response-bodies';

const SHIPMENTS = '/v2/shipments';
/** Freightline returns no larger pages. */
const MAX_PER_PAGE = 50;
const DEFAULT_LIMIT = 100;
/** A list takes one request for each 50 records, all within one deadline. */
const MAX_LIST_RECORDS = 1000;

/** The states of Freightline by our statuses. */
const STATES = {
  Created: 'booked',
  InTransit: 'rolling',
  Delivered: 'handed_over',
  Cancelled: 'void',
  Unknown: 'unspecified',
} as const;
/** The texts that the mapping of upstream responses reads, by the states of Freightline. */
const STATUS_TEXTS: ReadonlyMap<unknown, string> = new Map([
  ['booked', 'created'],
  ['rolling', 'in_transit'],
  ['handed_over', 'delivered'],
  ['void', 'cancelled'],
]);
const SORT_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['CreatedDate', 'created_at'],
  ['Status', 'state'],
  ['TrackingNumber', 'tracking_no'],
]);

/**
 * The protocol of the invented system Freightline: names in snake_case, `{ data, meta }` around records, pages from 0 with
 * 50 records at most, states and errors of its own.
 */
@Injectable()
export class FreightlineProtocol extends ShippingProtocol {
  async record(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>> {
    const { id, parameters = {} } = request;
    if (id !== undefined) {
      const response = await send({ path: `${SHIPMENTS}/{id}`, id });
      return isNoShipment(response) ? NO_MATCH : toShippingDetail(standardRecord(objectOf(bodyOf(response)).data));
    }
    const newest = { sort: 'created_at', order: 'desc', page: 0, per_page: 1 };
    const { records } = readPage(await send({ path: SHIPMENTS, query: { ...criteria(parameters), ...newest } }));
    return records.length === 0 ? NO_MATCH : toShippingDetail(records[0]);
  }

  async list({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    const { records } = await readRange(parameters, 0, parameters.Limit ?? DEFAULT_LIMIT, send);
    return toLookupItems({ ShippingDetails: records });
  }

  async page({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const { PageNumber = PAGE_NUMBER.default, PageSize = PAGE_SIZE.default } = parameters;
    const { records, total } = await readRange(parameters, (PageNumber - 1) * PageSize, PageSize, send);
    return toPagedList({ Items: records, TotalCount: total }, { PageNumber, PageSize });
  }
}

/** Requests the pages of Freightline that cover `count` records from `offset`, until there are no more. */
async function readRange(parameters: UpstreamParameters, offset: number, count: number, send: Send): Promise<Page> {
  const perPage = Math.min(count, MAX_PER_PAGE);
  const skipped = offset % perPage;
  let page = Math.floor(offset / perPage);
  const records: unknown[] = [];
  let part: Page;
  do {
    if (records.length >= MAX_LIST_RECORDS) throw oversized();
    const query = { ...criteria(parameters), ...sorting(parameters), page, per_page: perPage };
    part = readPage(await send({ path: SHIPMENTS, query }));
    records.push(...part.records);
    page += 1;
  } while (part.records.length === perPage && records.length < skipped + count);
  return { records: records.slice(skipped, skipped + count), total: part.total };
}

function criteria(parameters: UpstreamParameters): Record<string, string | Date | undefined> {
  const { Id, OrderId, TrackingNumber, SearchTerm, Status, FromDate, ToDate } = parameters;
  return {
    id: Id,
    order_no: OrderId,
    tracking_no: TrackingNumber,
    q: SearchTerm,
    state: Status && STATES[Status],
    created_from: FromDate,
    created_to: ToDate,
  };
}

function sorting({ SortBy, SortDirection }: UpstreamParameters): Record<string, string | undefined> {
  return { sort: SORT_FIELDS.get(SortBy), order: SortDirection };
}

/** Records in the form that the mapping of upstream responses reads, and the number of all that match. */
interface Page {
  readonly records: readonly unknown[];
  readonly total: number;
}

function readPage(response: UpstreamResponse): Page {
  const { data, meta } = objectOf(bodyOf(response));
  const { total } = objectOf(meta);
  if (!Array.isArray(data) || !Number.isSafeInteger(total)) throw wrongShape('The page has no data or no total');
  return { records: data.map(standardRecord), total: total as number };
}

function standardRecord(value: unknown): unknown {
  if (!isUpstreamObject(value)) return value;
  const { lines } = value;
  return {
    Id: value.shipment_id,
    OrderId: value.order_no,
    ShippingAddress: value.ship_to,
    TrackingNumber: value.tracking_no,
    Status: STATUS_TEXTS.get(value.state) ?? value.state,
    TotalWeight: value.weight_kg,
    CreatedDate: value.created_at,
    CreatedBy: value.created_by,
    ModifiedDate: value.updated_at,
    ModifiedBy: value.updated_by,
    IsDeleted: value.removed,
    ShippingItems: Array.isArray(lines) ? lines.map(standardItem) : lines,
  };
}

function standardItem(value: unknown): unknown {
  if (!isUpstreamObject(value)) return value;
  const { line_id: Id, sku: Sku, title: Description, qty: Quantity, weight_kg: Weight } = value;
  return { Id, Sku, Description, Quantity, Weight };
}

/** 404 is "no match" only with this code: a wrong base URL gets 404 as well. */
function isNoShipment({ status, data }: UpstreamResponse): boolean {
  return status === 404 && String(data).includes('"shipment_not_found"');
}

function objectOf(value: unknown): UpstreamObject {
  return isUpstreamObject(value) ? value : {};
}
