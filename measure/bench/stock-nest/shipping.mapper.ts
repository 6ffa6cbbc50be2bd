export enum ShippingStatus {
  Created = 'Created',
  InTransit = 'InTransit',
  Delivered = 'Delivered',
  Cancelled = 'Cancelled',
  Unknown = 'Unknown',
}

const STATUS_BY_TEXT: Readonly<Record<string, ShippingStatus>> = {
  created: ShippingStatus.Created,
  in_transit: ShippingStatus.InTransit,
  delivered: ShippingStatus.Delivered,
  cancelled: ShippingStatus.Cancelled,
};

export interface ExternalRecord {
  Id: string;
  OrderId: string;
  ShippingAddress: string;
  TrackingNumber: string;
  Status: string;
  TotalWeight: number;
  CreatedDate: string;
  CreatedBy: string;
  IsDeleted: boolean;
}

export interface ExternalDetail extends ExternalRecord {
  ModifiedDate: string;
  ModifiedBy: string;
  ShippingItems: { Id: string; Sku: string; Description: string; Quantity: number; Weight: number }[];
}

export interface ExternalPage {
  Items: ExternalRecord[];
  TotalCount: number;
  PageNumber: number;
  PageSize: number;
  TotalPages: number;
  HasPreviousPage: boolean;
  HasNextPage: boolean;
}

export interface LookupItem {
  id: string;
  orderId: string;
  shippingAddress: string;
  trackingNumber: string;
  status: ShippingStatus;
  statusDescription: string;
  totalWeight: number;
  createdDate: Date;
  isActive: boolean;
}

export type ListItem = LookupItem & { createdBy: string };
export type Detail = ListItem & { modifiedDate: Date; modifiedBy: string; shippingItems: object[] };

export interface Page {
  items: ListItem[];
  totalCount: number;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  hasPreviousPage: boolean;
  hasNextPage: boolean;
}

export function toPage(page: ExternalPage): Page {
  return {
    items: page.Items.map(toListItem),
    totalCount: page.TotalCount,
    pageNumber: page.PageNumber,
    pageSize: page.PageSize,
    totalPages: page.TotalPages,
    hasPreviousPage: page.HasPreviousPage,
    hasNextPage: page.HasNextPage,
  };
}

export function toDetail(record: ExternalDetail): Detail {
  return {
    ...toListItem(record),
    modifiedDate: new Date(`${record.ModifiedDate}Z`),
    modifiedBy: record.ModifiedBy,
    shippingItems: record.ShippingItems.map((item) => ({
      id: item.Id,
      sku: item.Sku,
      description: item.Description,
      quantity: item.Quantity,
      weight: item.Weight,
    })),
  };
}

export function toListItem(record: ExternalRecord): ListItem {
  const status = toStatus(record.Status);
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: new Date(record.CreatedDate),
    createdBy: record.CreatedBy,
    isActive: !record.IsDeleted,
  };
}

export function toLookupItem(record: ExternalRecord): LookupItem {
  const status = toStatus(record.Status);
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: new Date(record.CreatedDate),
    isActive: !record.IsDeleted,
  };
}

function toStatus(text: string): ShippingStatus {
  return STATUS_BY_TEXT[text.toLowerCase()] ?? ShippingStatus.Unknown;
}
