import { FAILURE_REASONS } from '../../../resilience/upstream-failure';
import type { Completeness } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import { SHIPPING_STATUSES } from '../../model/shipping-status';

/*
 * What a protocol returned, looked at before it is cached and sent (D86): a protocol is code of a team, which no compiler
 * checks where it is JavaScript, or where it casts. Each function returns what is wrong, to complete the sentence
 * "the protocol returned …". Fields are read by their names, not in a loop over names, because each call runs this.
 */

const LEVELS: ReadonlySet<unknown> = new Set<Completeness['level']>(['complete', 'partial', 'stale', 'unavailable']);
const REASONS: ReadonlySet<unknown> = new Set(FAILURE_REASONS);
const STATUSES: ReadonlySet<unknown> = new Set(SHIPPING_STATUSES);

type Fields<Body> = Readonly<Partial<Record<keyof Body, unknown>>>;

/** Looks at everything but the body. */
export function faultOfResult(result: unknown): string | undefined {
  if (!isObject(result)) return 'no result';
  const { completeness } = result as { completeness?: unknown };
  if (!isObject(completeness)) return 'no completeness';
  const { level, reason, limit, dropped } = completeness as Readonly<Record<string, unknown>>;
  if (!LEVELS.has(level)) return 'an unknown level of completeness';
  if (level !== 'complete' && !REASONS.has(reason)) return 'an unknown reason of incompleteness';
  return isCountOrAbsent(limit) && isCountOrAbsent(dropped) ? undefined : 'a completeness with an invalid number';
}

/** `undefined` is a valid body: no record matches. */
export function faultOfRecord(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  const fault = faultOfItem(body);
  if (fault !== undefined) return fault;
  const { createdBy, modifiedDate, modifiedBy, shippingItems } = body as Fields<ShippingDetail>;
  if (!isTextOrNull(createdBy)) return invalid('createdBy');
  if (!isTextOrNull(modifiedDate)) return invalid('modifiedDate');
  if (!isTextOrNull(modifiedBy)) return invalid('modifiedBy');
  return Array.isArray(shippingItems) && shippingItems.every(isObject) ? undefined : invalid('shippingItems');
}

export function faultOfList(body: unknown): string | undefined {
  return Array.isArray(body) ? faultOfItems(body) : 'a list that is no array';
}

export function faultOfPage(body: unknown): string | undefined {
  if (!isObject(body)) return 'no page';
  const page = body as Fields<PagedShippingList>;
  if (!Array.isArray(page.items)) return 'a page whose items are no array';
  if (!isCount(page.totalCount)) return 'a page without a valid totalCount';
  if (!isCount(page.pageNumber)) return 'a page without a valid pageNumber';
  if (!isCount(page.pageSize)) return 'a page without a valid pageSize';
  if (!isCount(page.totalPages)) return 'a page without valid totalPages';
  if (typeof page.hasPreviousPage !== 'boolean') return 'a page without a valid hasPreviousPage';
  if (typeof page.hasNextPage !== 'boolean') return 'a page without a valid hasNextPage';
  return faultOfItems(page.items);
}

function faultOfItems(items: readonly unknown[]): string | undefined {
  for (const item of items) {
    const fault = faultOfItem(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfItem(item: unknown): string | undefined {
  if (!isObject(item)) return 'a record that is no object';
  const record = item as Fields<ShippingLookupItem>;
  if (typeof record.id !== 'string' || record.id === '') return invalid('id');
  if (!isTextOrNull(record.orderId)) return invalid('orderId');
  if (!isTextOrNull(record.shippingAddress)) return invalid('shippingAddress');
  if (!isTextOrNull(record.trackingNumber)) return invalid('trackingNumber');
  if (!STATUSES.has(record.status)) return invalid('status');
  if (!STATUSES.has(record.statusDescription)) return invalid('statusDescription');
  if (record.totalWeight !== null && typeof record.totalWeight !== 'number') return invalid('totalWeight');
  if (!isTextOrNull(record.createdDate)) return invalid('createdDate');
  return typeof record.isActive === 'boolean' ? undefined : invalid('isActive');
}

function invalid(field: string): string {
  return `a record without a valid ${field}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isCountOrAbsent(value: unknown): boolean {
  return value === undefined || isCount(value);
}
