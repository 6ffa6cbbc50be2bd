import { Injectable } from '@nestjs/common';
import {
  bodyOf,
  collect,
  type CollectedPart,
  COMPLETE,
  DEFAULT_LIMIT,
  InvalidParametersException,
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
  ShippingStatus,
  type StandardRecord,
  type StatusWord,
  toLookupItems,
  toPagedList,
  toShippingDetail,
  type UpstreamParameters,
  type UpstreamRequest,
  type UpstreamResponse,
  type UpstreamTarget,
  wrongShape,
} from 'shipping-query-service';

type JsonObject = Readonly<Record<string, unknown>>;

const SHIPMENTS = '/v1/shipments';
/** Every identifier of ShipEngine has this form. For any other, no request is sent, because no shipment can have it. */
const IDENTIFIER = /^(?=.{1,25}$)se(-[a-z0-9]+)+$/;
/** Shipments in each request of `readUntil`, which filters what it has read: large pages need fewer requests. */
const PAGE_RECORDS = 100;
/**
 * The most requests to ShipEngine for one query, all within the deadline of the call: `readUntil` reads up to 1,000
 * shipments, and fails where it would need more.
 */
const MAX_REQUESTS = 10;

/**
 * The statuses that correspond to exactly one status of ShipEngine, so that it can filter by them. `Created` does not:
 * it is two of them, and ShipEngine filters by one only.
 */
const SENT_STATUSES: ReadonlyMap<ShippingStatus | undefined, string> = new Map([
  [ShippingStatus.InTransit, 'label_purchased'],
  [ShippingStatus.Cancelled, 'cancelled'],
]);
/** The word of the specification for each status of ShipEngine. The service maps these words. */
const STATUS_WORDS: ReadonlyMap<unknown, StatusWord> = new Map([
  ['pending', 'created'],
  ['processing', 'created'],
  ['label_purchased', 'in_transit'],
  ['cancelled', 'cancelled'],
]);
const KILOGRAMS: ReadonlyMap<unknown, number> = new Map([
  ['gram', 0.001],
  ['ounce', 0.028349523125],
  ['pound', 0.45359237],
  ['kilogram', 1],
]);

/** The wire format of ShipEngine's API v1. README.md lists the criteria that are sent, applied here or refused. */
@Injectable()
export class ShipEngineProtocol extends ShippingProtocol {
  override readonly parameters = 'Id OrderId TrackingNumber SearchTerm Status FromDate ToDate SortBy'.split(' ');
  override readonly sortKeys = ['CreatedDate'] as const;

  /** A shipment with items of several orders is found by each of them, and shows the order of its first item. */
  override readonly notComparable = ['OrderId'] as const;

  /** Refuses filters of a page that ShipEngine lacks: a page that is filtered afterwards has a wrong `totalCount`. */
  override check({ parameters = {} }: UpstreamRequest): void {
    const { PageNumber, SearchTerm, Status } = parameters;
    if (PageNumber === undefined) return;
    const faults = [
      ...(SearchTerm === undefined ? [] : [{ parameter: 'SearchTerm', message: 'cannot be applied to pages' }]),
      ...(Status === undefined || SENT_STATUSES.has(Status)
        ? []
        : [{ parameter: 'Status', message: 'can only be InTransit or Cancelled for pages' }]),
    ];
    if (faults.length > 0) throw new InvalidParametersException(faults);
  }

  async record({ id, parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>> {
    const { Id = id, OrderId } = parameters;
    const isById = Id !== undefined && OrderId === undefined;
    const found = isById ? await readById(Id, parameters, send) : await readUntil(1, parameters, send);
    return found.length === 0 ? { body: undefined, completeness: COMPLETE } : toShippingDetail(found[0]);
  }

  async list({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    return toLookupItems({ ShippingDetails: await readUntil(parameters.Limit ?? DEFAULT_LIMIT, parameters, send) });
  }

  async page({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const { PageNumber = PAGE_NUMBER.default, PageSize = PAGE_SIZE.default, SortBy, SortDirection } = parameters;
    const sort_dir = SortBy === 'CreatedDate' ? SortDirection : 'desc';
    const { records, ...page } = readPage(await send(pageOf(parameters, PageNumber, PageSize, sort_dir)));
    const values = { TotalCount: page.total, PageNumber: page.page, TotalPages: page.pages };
    return toPagedList({ Items: records, ...values }, { PageNumber, PageSize });
  }
}

/** The shipment with an identifier, where it matches the criteria. */
async function readById(id: string, criteria: UpstreamParameters, send: Send): Promise<ShipmentRecord[]> {
  if (!IDENTIFIER.test(id)) return [];
  const response = await send({ path: `${SHIPMENTS}/{id}`, id });
  return isNoShipment(response) ? [] : selectRecords([standardRecord(bodyOf(response))], criteria);
}

/**
 * Reads pages, the newest first, until enough records match or there are no more.
 *
 * @throws {UpstreamFailure} where that takes more than `MAX_REQUESTS`
 */
async function readUntil(count: number, parameters: UpstreamParameters, send: Send): Promise<ShipmentRecord[]> {
  const { Id, TrackingNumber, SearchTerm, Status } = parameters;
  if (Status === ShippingStatus.Delivered) return [];
  const target = (number: number): UpstreamTarget => pageOf(parameters, number, PAGE_RECORDS, 'desc');
  let number = 1;
  const read = (response: UpstreamResponse): CollectedPart<ShipmentRecord> => {
    const { records, pages } = readPage(response);
    number += 1;
    const next = number > pages ? undefined : target(number);
    return { items: selectRecords(records, { Id, TrackingNumber, SearchTerm, Status }), next };
  };
  return collect(send, target(number), read, { enough: count, maxRequests: MAX_REQUESTS });
}

/** The request for one page of shipments, sorted by creation, with the filters that ShipEngine has. */
function pageOf(parameters: UpstreamParameters, page: number, page_size: number, sort_dir?: string): UpstreamTarget {
  const { OrderId, Status, FromDate, ToDate } = parameters;
  const query = {
    sales_order_id: OrderId,
    shipment_status: SENT_STATUSES.get(Status),
    created_at_start: FromDate,
    created_at_end: ToDate,
    sort_by: 'created_at',
    sort_dir,
    page,
    page_size,
  };
  return { path: SHIPMENTS, query };
}

/**
 * A shipment with the field names of the specification, which the service maps; `undefined` for an entry that is no
 * object, so that the service reports the response as partial.
 */
type ShipmentRecord = StandardRecord | undefined;

/** One page of ShipEngine: its shipments with the field names of the specification, and its paging values. */
interface Page {
  readonly records: readonly ShipmentRecord[];
  readonly total: unknown;
  readonly page: unknown;
  readonly pages: number;
}

function readPage(response: UpstreamResponse): Page {
  const { shipments, total, page, pages } = objectOf(bodyOf(response));
  if (!Array.isArray(shipments) || typeof pages !== 'number') throw wrongShape('The page has no shipments or no pages');
  return { records: shipments.map(standardRecord), total, page, pages };
}

/**
 * Gives the fields of a shipment the names of the specification. Values of the wrong type are passed on, so that the
 * service reports the response as partial.
 */
function standardRecord(value: unknown): ShipmentRecord {
  if (!isUpstreamObject(value)) return undefined;
  const { items, packages, ship_to: to, shipment_status: status, total_weight: weight } = value;
  return {
    Id: value.shipment_id,
    OrderId: firstOf(items, 'sales_order_id'),
    ShippingAddress: isUpstreamObject(to) ? addressOf(to) : to,
    TrackingNumber: firstOf(packages, 'tracking_number'),
    // A status that is not in the table is passed on as it is: the service makes it `Unknown`, and logs its text.
    Status: STATUS_WORDS.get(status) ?? (status as null),
    TotalWeight: isUpstreamObject(weight) ? kilogramsOf(weight) : weight,
    CreatedDate: value.created_at,
    ModifiedDate: value.modified_at,
    ShippingItems: Array.isArray(items) ? items.map(standardItem) : items,
  };
}

function standardItem(value: unknown): unknown {
  if (!isUpstreamObject(value)) return value;
  return { Id: value.sales_order_item_id, Sku: value.sku, Description: value.name, Quantity: value.quantity };
}

/** The first value of a field in a list of objects. */
function firstOf(list: unknown, field: string): unknown {
  return Array.isArray(list) ? list.map((entry) => objectOf(entry)[field]).find((value) => value != null) : undefined;
}

function addressOf(to: JsonObject): string {
  const town = [to.city_locality, to.state_province, to.postal_code].filter((part) => typeof part === 'string');
  const lines = [to.name, to.company_name, to.address_line1, to.address_line2, to.address_line3, town.join(' ')];
  return [...lines, to.country_code].filter((line) => typeof line === 'string' && line !== '').join(', ');
}

/** A weight in kilograms, rounded to the milligram: the product of two binary fractions has digits without meaning. */
function kilogramsOf({ value, unit }: JsonObject): unknown {
  const factor = KILOGRAMS.get(unit);
  return typeof value === 'number' && factor !== undefined ? Math.round(value * factor * 1e6) / 1e6 : { value, unit };
}

/** Whether a 404 means "no match": it then has ShipEngine's error body. A wrong base URL gives a 404 without one. */
function isNoShipment({ status, data }: UpstreamResponse): boolean {
  return status === 404 && String(data).includes('"errors"');
}

function objectOf(value: unknown): JsonObject {
  return isUpstreamObject(value) ? value : {};
}
