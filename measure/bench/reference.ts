/**
 * What each operation has to return for an upstream response, written down once more and by nobody's code but
 * its own: all servers are held to this, byte by byte.
 */

interface ExternalRecord {
  readonly Id: string;
  readonly OrderId: string;
  readonly ShippingAddress: string;
  readonly TrackingNumber: string;
  readonly Status?: string;
  readonly TotalWeight: number;
  readonly CreatedDate: string;
  readonly CreatedBy: string;
  readonly ModifiedDate: string;
  readonly ModifiedBy: string;
  readonly IsDeleted: boolean;
}

const STATUS_NAMES = new Map(
  Object.entries({ created: 'Created', in_transit: 'InTransit', delivered: 'Delivered', cancelled: 'Cancelled' }),
);

export function expectedPage(reply: string): string {
  const { Items, ...figures } = JSON.parse(reply) as { Items: ExternalRecord[] } & Record<string, unknown>;
  const { TotalCount, PageNumber, PageSize, TotalPages, HasPreviousPage, HasNextPage } = figures;
  return JSON.stringify({
    items: Items.map((record) => expectedFields(record, true)),
    totalCount: TotalCount,
    pageNumber: PageNumber,
    pageSize: PageSize,
    totalPages: TotalPages,
    hasPreviousPage: HasPreviousPage,
    hasNextPage: HasNextPage,
  });
}

export function expectedLookupItems(reply: string): string {
  const { ShippingDetails } = JSON.parse(reply) as { ShippingDetails: ExternalRecord[] };
  return JSON.stringify(ShippingDetails.map((record) => expectedFields(record, false)));
}

export function expectedDetail(reply: string): string {
  const record = JSON.parse(reply) as ExternalRecord & { ShippingItems: Record<string, unknown>[] };
  return JSON.stringify({
    ...expectedFields(record, true),
    modifiedDate: `${record.ModifiedDate}.000Z`,
    modifiedBy: record.ModifiedBy,
    shippingItems: record.ShippingItems.map((item) =>
      Object.fromEntries(Object.entries(item).map(([name, value]) => [name.toLowerCase(), value])),
    ),
  });
}

function expectedFields(record: ExternalRecord, withCreator: boolean): object {
  const status = STATUS_NAMES.get(record.Status?.toLowerCase() ?? '') ?? 'Unknown';
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: record.CreatedDate,
    ...(withCreator ? { createdBy: record.CreatedBy } : {}),
    isActive: !record.IsDeleted,
  };
}
