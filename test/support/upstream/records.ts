/** JSON objects of the external system; every test may put what it likes into a field. */
export type WireObject = Record<string, unknown>;

/** An item of `ShippingItems`. An override of `undefined` leaves the field out of the JSON. */
export function wireItem(overrides: WireObject = {}): WireObject {
  return {
    Id: 'ITM-1',
    Sku: 'SKU-4711',
    Description: 'Espresso cups, set of six',
    Quantity: 2,
    Weight: 1.25,
    ...overrides,
  };
}

/** A complete, sound record. An override of `undefined` leaves the field out of the JSON. */
export function wireRecord(overrides: WireObject = {}): WireObject {
  return {
    Id: 'SHP-1',
    OrderId: 'ORD-1001',
    ShippingAddress: 'Storgatan 5, 111 23 Göteborg, Sweden',
    TrackingNumber: '1Z999AA10123456784',
    Status: 'in_transit',
    TotalWeight: 12.75,
    CreatedDate: '2026-03-14T09:26:53.589Z',
    CreatedBy: 'warehouse.north',
    ModifiedDate: '2026-03-15T16:04:00.000Z',
    ModifiedBy: 'carrier.sync',
    IsDeleted: false,
    ShippingItems: [wireItem(), wireItem({ Id: 'ITM-2', Sku: 'SKU-0815', Description: 'Tea pot', Quantity: 1 })],
    ...overrides,
  };
}

/** So many sound records, each with its own identifier, order, tracking number and day. */
export function wireRecords(count: number): WireObject[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    return wireRecord({
      Id: `SHP-${number}`,
      OrderId: `ORD-${1000 + number}`,
      TrackingNumber: `1Z999AA1${String(number).padStart(10, '0')}`,
      CreatedDate: new Date(Date.UTC(2026, 0, number, 9, 26, 53, 589)).toISOString(),
    });
  });
}

/** A reply to the paged list: the only page, holding these records. */
export function pagedReply(records: readonly unknown[] = [wireRecord()], overrides: WireObject = {}): WireObject {
  return {
    Items: records,
    TotalCount: records.length,
    PageNumber: 1,
    PageSize: 10,
    TotalPages: records.length > 0 ? 1 : 0,
    HasPreviousPage: false,
    HasNextPage: false,
    ...overrides,
  };
}

/** A reply to the unpaged list. */
export function detailsReply(records: readonly unknown[] = [wireRecord()], overrides: WireObject = {}): WireObject {
  return { ShippingDetails: records, ...overrides };
}

/**
 * One reply that is sound for all four operations: a record, a page and an unpaged list in one object. It lets a fault
 * of the wire be tried on any operation, with nothing else wrong.
 */
export function anyReply(overrides: WireObject = {}): WireObject {
  return { ...wireRecord(), ...pagedReply(), ...detailsReply(), ...overrides };
}

/** The same value with the first letter of every key in lower case, at every depth. */
export function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inCamelCase);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key.charAt(0).toLowerCase() + key.slice(1), inCamelCase(inner)]),
    );
  }
  return value;
}
