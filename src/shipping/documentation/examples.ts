import { exampleOf, type Example } from '../../openapi/problem-response';
import type { PagedShippingList, ShippingDetail, ShippingListItem } from '../model/response-bodies';
import { ShippingStatus } from '../model/shipping-status';

export const SHIPPING_PATH = '/api/Shipping/';

/* Responses of the sandbox. */

const ITEM: ShippingListItem = {
  id: 'SHP-000001',
  orderId: 'ORD-000001',
  shippingAddress: 'Friedrichstraße 43, 10117 Berlin, Germany',
  trackingNumber: 'JD014600003828761',
  status: ShippingStatus.InTransit,
  statusDescription: 'InTransit',
  totalWeight: 2.69,
  createdDate: '2026-07-01T09:30:00.000Z',
  createdBy: 'order-import',
  isActive: true,
};

const ODD_ITEM = { ...ITEM, id: 'SHP-ODD-1', orderId: null, totalWeight: null, createdDate: null };

const DETAIL: ShippingDetail = {
  ...ITEM,
  modifiedDate: '2026-07-02T06:15:00.000Z',
  modifiedBy: 'warehouse-1',
  shippingItems: [
    { id: 'SHP-000001-1', sku: 'LM-1180', description: 'Desk lamp, brass', quantity: 1, weight: 1.92 },
    { id: 'SHP-000001-2', sku: 'BK-2041', description: 'Hardcover notebook, A5', quantity: 2, weight: 0.385 },
  ],
};

const ODD_PAGE: PagedShippingList = {
  items: [ITEM, ODD_ITEM],
  totalCount: 3,
  pageNumber: 1,
  pageSize: 10,
  totalPages: 1,
  hasPreviousPage: false,
  hasNextPage: false,
};

type Examples = Readonly<Record<string, Example>>;

/** `find` is a target below the path of the controller that ends before its value; `first` finds the first record. */
export function lookupExamples(find: string, first: string): Examples {
  return {
    complete: example(find + first, DETAIL),
    partial: example(`${find}SIMULATE-ODD-RECORD`, { ...DETAIL, ...ODD_ITEM, shippingItems: [] }),
  };
}

/** Examples of a list. */
export function listExamples(find: string): Examples {
  return {
    complete: example(`${find}JD014600003828761`, lookupItems(ITEM)),
    partial: example(`${find}SIMULATE-ODD-RECORD`, lookupItems(ITEM, ODD_ITEM)),
    unavailable: example(`${find}SIMULATE-500`, []),
  };
}

/** Examples of a page. */
export function pageExamples(find: string): Examples {
  return {
    complete: example(`${find}JD014600003828761`, { ...ODD_PAGE, items: [ITEM], totalCount: 1 }),
    partial: example(`${find}SIMULATE-ODD-RECORD`, ODD_PAGE),
    unavailable: example(`${find}SIMULATE-500`, { ...ODD_PAGE, items: [], totalCount: 0, totalPages: 0 }),
  };
}

function example(target: string, value: unknown): Example {
  return exampleOf({ target: SHIPPING_PATH + target }, value);
}

function lookupItems(...items: readonly ShippingListItem[]): Partial<ShippingListItem>[] {
  return items.map((item) => ({ ...item, createdBy: undefined }));
}
