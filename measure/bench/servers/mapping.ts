type Wire = Readonly<Record<string, unknown>>;

/** A page as the external system sends it. */
export type ExternalPage = Wire & { readonly Items: readonly Wire[] };

/** An unpaged list as the external system sends it. */
export interface ExternalList {
  readonly ShippingDetails: readonly Wire[];
}

const STATUS_NAMES = new Map(
  Object.entries({ created: 'Created', in_transit: 'InTransit', delivered: 'Delivered', cancelled: 'Cancelled' }),
);

export function toPage(page: ExternalPage): object {
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

/** The unpaged list, whose items have no `createdBy`. */
export function toLookups({ ShippingDetails }: ExternalList): object[] {
  return ShippingDetails.map((record) => ({ ...toListItem(record), createdBy: undefined }));
}

function toListItem(record: Wire): object {
  const status = STATUS_NAMES.get(String(record.Status).toLowerCase()) ?? 'Unknown';
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: new Date(String(record.CreatedDate)).toISOString(),
    isActive: !record.IsDeleted,
    createdBy: record.CreatedBy,
  };
}
