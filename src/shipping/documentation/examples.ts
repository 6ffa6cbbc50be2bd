import type { Example } from '../../openapi/problem-response';
import type { PagedShippingList, ShippingDetail, ShippingListItem } from '../model/response-bodies';
import { ShippingStatus } from '../model/shipping-status';

/* Examples of responses. Their values belong to no particular system, because the document may describe any. */

const ITEM: ShippingListItem = {
  id: 'A-1001',
  orderId: 'B-2001',
  shippingAddress: 'Friedrichstraße 43, 10117 Berlin, Germany',
  trackingNumber: 'T-3001',
  status: ShippingStatus.InTransit,
  statusDescription: 'InTransit',
  totalWeight: 2.69,
  createdDate: '2026-07-01T09:30:00.000Z',
  createdBy: 'order-import',
  isActive: true,
};

const ODD_ITEM = { ...ITEM, id: 'A-1002', orderId: null, totalWeight: null, createdDate: null };

const DETAIL: ShippingDetail = {
  ...ITEM,
  modifiedDate: '2026-07-02T06:15:00.000Z',
  modifiedBy: 'warehouse-1',
  shippingItems: [
    { id: 'A-1001-1', sku: 'LM-1180', description: 'Desk lamp, brass', quantity: 1, weight: 1.92 },
    { id: 'A-1001-2', sku: 'BK-2041', description: 'Hardcover notebook, A5', quantity: 2, weight: 0.385 },
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

export const LOOKUP_EXAMPLES: Examples = {
  complete: { summary: 'A record', value: DETAIL },
  partial: { summary: 'A malformed record', value: { ...DETAIL, ...ODD_ITEM, shippingItems: [] } },
};

export const LIST_EXAMPLES: Examples = {
  complete: { summary: 'A record', value: lookupItems(ITEM) },
  partial: { summary: 'A malformed record, and one was dropped', value: lookupItems(ITEM, ODD_ITEM) },
  unavailable: { summary: 'The external system failed', value: [] },
};

export const PAGE_EXAMPLES: Examples = {
  complete: { summary: 'A record', value: { ...ODD_PAGE, items: [ITEM], totalCount: 1 } },
  partial: { summary: 'A malformed record, and one was dropped', value: ODD_PAGE },
  unavailable: {
    summary: 'The external system failed',
    value: { ...ODD_PAGE, items: [], totalCount: 0, totalPages: 0 },
  },
};

function lookupItems(...items: readonly ShippingListItem[]): Partial<ShippingListItem>[] {
  return items.map((item) => ({ ...item, createdBy: undefined }));
}
