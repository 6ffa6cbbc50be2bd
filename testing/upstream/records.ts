/** A JSON object of the external system. The values have no types, because tests put malformed ones into fields. */
export type WireObject = Record<string, unknown>;

/** What an operation returns: one record, the unpaged list or a page. */
type Body = 'record' | 'list' | 'page';

interface RecordField {
  /** The field in the upstream response. */
  readonly upstream: WireObject;
  /** The fields of our response that are mapped from `upstream`. */
  readonly mapped: WireObject;
  /** The same fields where the upstream field is absent or malformed; `null` by default. */
  readonly absent?: WireObject;
  /** The kinds of our responses that have the mapped fields; all by default. */
  readonly bodies?: readonly Body[];
}

/** A field that has the same value on both sides. */
function same(name: string, value: unknown, bodies?: readonly Body[]): RecordField {
  return { upstream: { [name]: value }, mapped: { [camelCase(name)]: value }, bodies };
}

/** The fields of {@link wireRecord}, each with the fields of {@link mappedRecord} that are mapped from it. */
export const RECORD_FIELDS: readonly RecordField[] = [
  same('OrderId', 'ORD-1001'),
  same('ShippingAddress', 'Storgatan 5, 111 23 Göteborg, Sweden'),
  same('TrackingNumber', '1Z999AA10123456784'),
  {
    upstream: { Status: 'in_transit' },
    mapped: { status: 'InTransit', statusDescription: 'InTransit' },
    absent: { status: 'Unknown', statusDescription: 'Unknown' },
  },
  same('TotalWeight', 12.75),
  same('CreatedDate', '2026-03-14T09:26:53.589Z'),
  same('CreatedBy', 'warehouse.north', ['page', 'record']),
  same('ModifiedDate', '2026-03-15T16:04:00.000Z', ['record']),
  same('ModifiedBy', 'carrier.sync', ['record']),
  { upstream: { IsDeleted: false }, mapped: { isActive: true }, absent: { isActive: true } },
];

/** An item of `ShippingItems` in an upstream response. An override of `undefined` leaves the field out of the JSON. */
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

/** The item of our response that is mapped from {@link wireItem}. */
export function mappedItem(overrides: WireObject = {}): WireObject {
  return { ...(inCamelCase(wireItem()) as WireObject), ...overrides };
}

/** The item of our response that is mapped from an upstream item without fields. */
export function mappedEmptyItem(): WireObject {
  return Object.fromEntries(Object.keys(mappedItem()).map((name) => [name, null]));
}

/**
 * A valid record with all fields, of an upstream response. An override of `undefined` leaves the field out of the JSON.
 */
export function wireRecord(overrides: WireObject = {}): WireObject {
  return {
    Id: 'SHP-1',
    ...merged(RECORD_FIELDS.map(({ upstream }) => upstream)),
    ShippingItems: [wireItem(), wireItem({ Id: 'ITM-2', Sku: 'SKU-0815', Description: 'Tea pot', Quantity: 1 })],
    ...overrides,
  };
}

/** The record of our response that is mapped from {@link wireRecord}. */
export function mappedRecord({ body }: { readonly body: Body }, overrides: WireObject = {}): WireObject {
  return {
    id: 'SHP-1',
    ...merged(fieldsIn(body).map(({ mapped }) => mapped)),
    ...(body === 'record' && {
      shippingItems: [mappedItem(), mappedItem({ id: 'ITM-2', sku: 'SKU-0815', description: 'Tea pot', quantity: 1 })],
    }),
    ...overrides,
  };
}

/**
 * The record of our response that is mapped from an upstream record with nothing but the `Id` of {@link wireRecord}.
 */
export function mappedEmptyRecord({ body }: { readonly body: Body }): WireObject {
  return {
    id: 'SHP-1',
    ...merged(fieldsIn(body).map(absentFields)),
    ...(body === 'record' && { shippingItems: [] }),
  };
}

/** The fields of our response where the upstream field is absent or malformed. */
export function absentFields({ mapped, absent }: RecordField): WireObject {
  return absent ?? Object.fromEntries(Object.keys(mapped).map((name) => [name, null]));
}

function fieldsIn(body: Body): RecordField[] {
  return RECORD_FIELDS.filter(({ bodies }) => bodies?.includes(body) ?? true);
}

function merged(objects: readonly WireObject[]): WireObject {
  return Object.assign({}, ...objects) as WireObject;
}

/** Makes `count` valid records, each with an identifier, order, tracking number and day of its own. */
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

/** An upstream response to the paged list: the only page, with these records. */
export function wirePage(records: readonly unknown[] = [wireRecord()], overrides: WireObject = {}): WireObject {
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

/** An upstream response to the unpaged list. */
export function wireList(records: readonly unknown[] = [wireRecord()], overrides: WireObject = {}): WireObject {
  return { ShippingDetails: records, ...overrides };
}

/**
 * One upstream response that is valid for all four operations: a record, a page and an unpaged list in one object. With
 * it, the same fault can be tested for each operation, and nothing else is wrong.
 */
export function wireBody(overrides: WireObject = {}): WireObject {
  return { ...wireRecord(), ...wirePage(), ...wireList(), ...overrides };
}

/** An upstream response that is valid for all four operations, with this record alone. */
export function wireBodyOf(record: WireObject): WireObject {
  return wireBody({ ...record, Items: [record], ShippingDetails: [record] });
}

/**
 * The same value with the first letter of every key in lower case, at every depth. The service reads fields with these
 * names, too (D17).
 */
export function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inCamelCase);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelCase(key), inCamelCase(inner)]));
  }
  return value;
}

function camelCase(key: string): string {
  return key.charAt(0).toLowerCase() + key.slice(1);
}
