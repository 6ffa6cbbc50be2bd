import { PAGE_SIZE } from '../model/parameter-bounds';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { ShippingStatus } from '../model/shipping-status';

/** Responses of the sandbox with its default settings. Comments and summaries show the request. */

const LOOKUP_ITEM: ShippingLookupItem = {
  id: 'SHP-000001',
  orderId: 'ORD-000001',
  shippingAddress: 'Friedrichstraße 43, 10117 Berlin, Germany',
  trackingNumber: 'JD014600003828761',
  status: ShippingStatus.InTransit,
  statusDescription: 'InTransit',
  totalWeight: 2.69,
  createdDate: '2026-07-01T09:30:00.000Z',
  isActive: true,
};

export const DETAIL_EXAMPLE: ShippingDetail = {
  ...LOOKUP_ITEM,
  createdBy: 'order-import',
  modifiedDate: '2026-07-02T06:15:00.000Z',
  modifiedBy: 'warehouse-1',
  shippingItems: [
    { id: 'SHP-000001-1', sku: 'LM-1180', description: 'Desk lamp, brass', quantity: 1, weight: 1.92 },
    { id: 'SHP-000001-2', sku: 'BK-2041', description: 'Hardcover notebook, A5', quantity: 2, weight: 0.385 },
  ],
};

const NEWEST_LOOKUP_ITEM: ShippingLookupItem = {
  id: 'SHP-000037',
  orderId: 'ORD-000018',
  shippingAddress: 'Avenida São João 67, 01305-000 São Paulo, Brasil',
  trackingNumber: 'JD0146079957190',
  status: ShippingStatus.InTransit,
  statusDescription: 'InTransit',
  totalWeight: 6.38,
  createdDate: '2026-07-02T23:00:31.000Z',
  isActive: true,
};

/** `GetShippingDetails?Limit=1` */
export const LOOKUP_EXAMPLE: readonly ShippingLookupItem[] = [NEWEST_LOOKUP_ITEM];

/** `GetShippingPagedList?PageSize=1` */
export const PAGE_EXAMPLE: PagedShippingList = {
  items: [{ ...NEWEST_LOOKUP_ITEM, createdBy: 'm.tanaka' }],
  totalCount: 1882,
  pageNumber: 1,
  pageSize: 1,
  totalPages: 1882,
  hasPreviousPage: false,
  hasNextPage: true,
};

/** The paged list where the external system fails. */
export const EMPTY_PAGE: PagedShippingList = {
  items: [],
  totalCount: 0,
  pageNumber: 1,
  pageSize: PAGE_SIZE.default,
  totalPages: 0,
  hasPreviousPage: false,
  hasNextPage: false,
};

const ODD_LOOKUP_ITEM: ShippingLookupItem = {
  id: 'SHP-ODD-1',
  orderId: null,
  shippingAddress: null,
  trackingNumber: null,
  status: ShippingStatus.Unknown,
  statusDescription: 'Unknown',
  totalWeight: null,
  createdDate: null,
  isActive: true,
};

/** `GetShippingInfoById/SIMULATE-ODD-RECORD` */
export const PARTIAL_DETAIL_EXAMPLE: ShippingDetail = {
  ...ODD_LOOKUP_ITEM,
  createdBy: null,
  modifiedDate: null,
  modifiedBy: null,
  shippingItems: [{ id: '1', sku: null, description: null, quantity: null, weight: null }],
};

/** `GetShippingDetails?SearchTerm=SIMULATE-ODD-RECORD` */
export const PARTIAL_LOOKUP_EXAMPLE: readonly ShippingLookupItem[] = [
  LOOKUP_ITEM,
  ODD_LOOKUP_ITEM,
  {
    ...LOOKUP_ITEM,
    id: 'SHP-000002',
    trackingNumber: 'JD014600003828778',
    status: ShippingStatus.Created,
    statusDescription: 'Created',
    totalWeight: 14.6,
  },
];

/** `GetShippingPagedList?SearchTerm=SIMULATE-ODD-RECORD` */
export const PARTIAL_PAGE: PagedShippingList = {
  ...EMPTY_PAGE,
  items: PARTIAL_LOOKUP_EXAMPLE.map((item) => ({
    ...item,
    createdBy: item === ODD_LOOKUP_ITEM ? null : 'order-import',
  })),
  totalCount: 4,
  totalPages: 1,
};
