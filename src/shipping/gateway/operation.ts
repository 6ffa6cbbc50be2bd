import type { PagedShippingList } from '../model/paged-shipping-list';
import type { ShippingDetail, ShippingItem } from '../model/shipping-detail';
import type { ShippingListItem } from '../model/shipping-list-item';
import type { ShippingLookupItem } from '../model/shipping-lookup-item';
import { SHIPPING_STATUSES } from '../model/shipping-status';

export type Check = (value: unknown) => boolean;
/** A check for each field: the compiler asks for one where the model gains a field. */
export type Shape<T> = Readonly<Record<keyof T, Check>>;

export const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
const isNumberOrNull: Check = (value) => value === null || typeof value === 'number';
const isBoolean: Check = (value) => typeof value === 'boolean';
export const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isStatus: Check = (value) => (SHIPPING_STATUSES as readonly unknown[]).includes(value);

const LOOKUP_ITEM: Shape<ShippingLookupItem> = {
  id: isText,
  orderId: isTextOrNull,
  shippingAddress: isTextOrNull,
  trackingNumber: isTextOrNull,
  status: isStatus,
  statusDescription: isStatus,
  totalWeight: isNumberOrNull,
  createdDate: isTextOrNull,
  isActive: isBoolean,
};
const LIST_ITEM: Shape<ShippingListItem> = { ...LOOKUP_ITEM, createdBy: isTextOrNull };
const ARTICLE: Shape<ShippingItem> = {
  id: isTextOrNull,
  sku: isTextOrNull,
  description: isTextOrNull,
  quantity: isNumberOrNull,
  weight: isNumberOrNull,
};
const DETAIL: Shape<ShippingDetail> = {
  ...LIST_ITEM,
  modifiedDate: isTextOrNull,
  modifiedBy: isTextOrNull,
  shippingItems: listOf(ARTICLE),
};
const PAGE: Shape<PagedShippingList> = {
  items: listOf(LIST_ITEM),
  totalCount: isCount,
  pageNumber: isCount,
  pageSize: isCount,
  totalPages: isCount,
  hasPreviousPage: isBoolean,
  hasNextPage: isBoolean,
};

/** The calls of the external system, as metrics, spans and the cache name them, each with what its answers look like. */
export const BODIES = {
  single: recordOf(DETAIL),
  'by-id': recordOf(DETAIL),
  details: listOf(LOOKUP_ITEM),
  paged: recordOf(PAGE),
} as const satisfies Record<string, Check>;

export type Operation = keyof typeof BODIES;

function recordOf(shape: Readonly<Record<string, Check>>): Check {
  return (value) => hasShape(shape, value);
}

function listOf(shape: Readonly<Record<string, Check>>): Check {
  return (value) => Array.isArray(value) && value.every((item) => hasShape(shape, item));
}

/** Whether a value has exactly these fields, each as it has to be. */
export function hasShape<T>(shape: Shape<T>, value: unknown): value is T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  let fields = 0;
  for (const name in shape) {
    if (!Object.hasOwn(value, name) || !shape[name]((value as T)[name])) return false;
    fields += 1;
  }
  return Object.keys(value).length === fields;
}
