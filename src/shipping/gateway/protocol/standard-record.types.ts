import type { StatusWord } from '../../model/shipping-status';

/**
 * A record with the field names of the specification's wire format. A class for another wire format renames the fields
 * of its system to these names, and passes the record to `toShippingDetail` or to the functions for lists. Values may
 * be of any type, because those of the wrong type make the response `partial`; the names and the status words are
 * checked by the compiler.
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
 * A record of unknown type from the wire, or one with a type, which is checked as a {@link StandardRecord}. The
 * compiler accepts `null` and `undefined`, too: the mapping counts them as malformed.
 */
export type RecordBody<Body> = Typed<
  Body,
  string extends keyof Body ? Body : Exact<NonNullable<Body>, StandardRecord> | null | undefined
>;

/** The names of the paging values beside the records of a page. */
export type PagingName = 'TotalCount' | 'PageNumber' | 'PageSize' | 'TotalPages' | 'HasPreviousPage' | 'HasNextPage';

/**
 * The body of a list: of unknown type from the wire, or with a type. Of the latter, the compiler checks the records in
 * the field `Name`, and refuses all other fields but `Others`.
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
