/** The paths of the external system and the mapping of its records, shared by the servers that the service is compared with. */

export interface ExternalRecord {
  readonly Id: string;
  readonly OrderId: string;
  readonly ShippingAddress: string;
  readonly TrackingNumber: string;
  readonly Status?: string;
  readonly TotalWeight: number;
  readonly CreatedDate: string;
  readonly CreatedBy: string;
  readonly IsDeleted: boolean;
}

export interface ExternalDetail extends ExternalRecord {
  readonly ModifiedDate: string | null;
  readonly ModifiedBy: string;
  readonly ShippingItems: readonly {
    readonly Id: string;
    readonly Sku: string;
    readonly Description: string;
    readonly Quantity: number;
    readonly Weight: number;
  }[];
}

export interface ExternalPage {
  readonly Items: readonly ExternalRecord[];
  readonly TotalCount: number;
  readonly PageNumber: number;
  readonly PageSize: number;
  readonly TotalPages: number;
  readonly HasPreviousPage: boolean;
  readonly HasNextPage: boolean;
}

/** The parameters of a page that the benchmark sends. */
export interface PageQuery {
  readonly PageNumber?: number;
  readonly PageSize?: number;
  readonly SortBy?: string;
  readonly SortDirection?: string;
}

const STATUS_NAMES = new Map(
  Object.entries({ created: 'Created', in_transit: 'InTransit', delivered: 'Delivered', cancelled: 'Cancelled' }),
);

export function toListItem(record: ExternalRecord): object {
  const status = STATUS_NAMES.get(String(record.Status).toLowerCase()) ?? 'Unknown';
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: new Date(record.CreatedDate).toISOString(),
    createdBy: record.CreatedBy,
    isActive: !record.IsDeleted,
  };
}

export function toPage(reply: ExternalPage): object {
  return {
    items: reply.Items.map(toListItem),
    totalCount: reply.TotalCount,
    pageNumber: reply.PageNumber,
    pageSize: reply.PageSize,
    totalPages: reply.TotalPages,
    hasPreviousPage: reply.HasPreviousPage,
    hasNextPage: reply.HasNextPage,
  };
}

export function toDetail(record: ExternalDetail): object {
  return {
    ...toListItem(record),
    modifiedDate: record.ModifiedDate === null ? null : new Date(`${record.ModifiedDate}Z`).toISOString(),
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

export function pagePath({
  PageNumber = 1,
  PageSize = 10,
  SortBy = 'CreatedDate',
  SortDirection = 'desc',
}: PageQuery): string {
  return `/shippings/paged?PageNumber=${PageNumber}&PageSize=${PageSize}&SortBy=${SortBy}&SortDirection=${SortDirection}`;
}

export function detailPath(id: string): string {
  return `/shippings/by-id/${encodeURIComponent(id)}`;
}
