/** The status texts of the standard protocol; every other text is `Unknown`. */
export type StatusWord = 'created' | 'in_transit' | 'delivered' | 'cancelled';

/**
 * A record with the names of the standard protocol, for a protocol that renames the fields of its system. Values may be
 * of any type, because those of the wrong type make the response `partial`; the names and the status words are checked
 * by the compiler.
 */
export interface StandardRecord {
  readonly Id?: unknown;
  readonly OrderId?: unknown;
  readonly ShippingAddress?: unknown;
  readonly TrackingNumber?: unknown;
  readonly Status?: StatusWord | null;
  readonly TotalWeight?: unknown;
  readonly CreatedDate?: unknown;
  readonly CreatedBy?: unknown;
  readonly ModifiedDate?: unknown;
  readonly ModifiedBy?: unknown;
  readonly IsDeleted?: unknown;
  readonly ShippingItems?: unknown;
}

/** A value of unknown type, as it came from the wire, is accepted; a value with a type has to have the expected one. */
type Typed<Value, Expected> = unknown extends Value ? Value : Expected;

type Exact<Value, Expected> = Expected & Readonly<Record<Exclude<keyof Value, keyof Expected>, never>>;

/**
 * A record from the wire, or one with a type, which is checked as a {@link StandardRecord}. `null` and `undefined` are
 * accepted, because the mapping drops them.
 */
export type RecordBody<Body> = Typed<
  Body,
  string extends keyof Body ? Body : Exact<NonNullable<Body>, StandardRecord> | null | undefined
>;

/** The names of the paging values beside the records of a page. */
export type PagingName = 'TotalCount' | 'PageNumber' | 'PageSize' | 'TotalPages' | 'HasPreviousPage' | 'HasNextPage';

/**
 * A list from the wire, or one with a type: its records under `Name` are checked, and it has no other names but
 * `Others`.
 */
export type ListBody<Body, Name extends string, Others extends string = never> = Typed<
  Body,
  Body extends Readonly<Record<Name, readonly (infer Element)[]>>
    ? Readonly<Record<Name, readonly RecordBody<Element>[]>> &
        Readonly<Record<Exclude<keyof Body, Name | Others>, never>>
    : string extends keyof Body
      ? Body
      : Readonly<Record<Name, unknown>>
>;
