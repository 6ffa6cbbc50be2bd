import { COMPLETE, type Answer } from '../../model/completeness';
import type { PagedShippingList } from '../../model/paged-shipping-list';
import type { ShippingDetail, ShippingItem } from '../../model/shipping-detail';
import type { ShippingListItem } from '../../model/shipping-list-item';
import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { SHIPPING_STATUSES } from '../../model/shipping-status';
import type { Operation } from '../operation';

/** A complete answer, and when it came: milliseconds since 1970, because replicas share entries. */
export interface CacheEntry {
  readonly answer: Answer<unknown>;
  readonly storedAt: number;
}

const FORMAT = 1;

/** An entry as JSON. */
interface StoredEntry {
  readonly format: number;
  readonly operation: string;
  readonly storedAt: number;
  readonly body: unknown;
}

/** Writes an entry down as JSON. */
export function encodeEntry(operation: Operation, { answer, storedAt }: CacheEntry): string {
  return JSON.stringify({ format: FORMAT, operation, storedAt, body: answer.body });
}

/**
 * Reads what {@link encodeEntry} wrote.
 *
 * @returns `undefined` for everything else: broken JSON, another format or operation, a body that is not of its shape
 */
export function decodeEntry(operation: Operation, text: string): CacheEntry | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!hasShape<StoredEntry>(ENTRY, entry) || entry.format !== FORMAT || entry.operation !== operation)
    return undefined;
  if (!BODIES[operation](entry.body)) return undefined;
  return { answer: { body: entry.body, completeness: COMPLETE }, storedAt: entry.storedAt };
}

type Check = (value: unknown) => boolean;
/** A check for each field: the compiler asks for one where the model gains a field. */
type Shape<T> = Readonly<Record<keyof T, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
const isNumberOrNull: Check = (value) => value === null || typeof value === 'number';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isStatus: Check = (value) => (SHIPPING_STATUSES as readonly unknown[]).includes(value);

const ENTRY: Shape<StoredEntry> = {
  format: isCount,
  operation: isText,
  storedAt: isCount,
  body: () => true,
};

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

const BODIES: Readonly<Record<Operation, Check>> = {
  single: (value) => hasShape(DETAIL, value),
  'by-id': (value) => hasShape(DETAIL, value),
  details: listOf(LOOKUP_ITEM),
  paged: (value) => hasShape(PAGE, value),
};

function listOf(shape: Readonly<Record<string, Check>>): Check {
  return (value) => Array.isArray(value) && value.every((item) => hasShape(shape, item));
}

/** Whether a value has exactly these fields, each as it has to be. */
function hasShape<T>(shape: Shape<T>, value: unknown): value is T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  let fields = 0;
  for (const name in shape) {
    if (!Object.hasOwn(value, name) || !shape[name]((value as T)[name])) return false;
    fields += 1;
  }
  return Object.keys(value).length === fields;
}
