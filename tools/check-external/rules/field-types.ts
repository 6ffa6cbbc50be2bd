import {
  isUpstreamObject,
  ValueReader,
  type UpstreamObject,
} from '../../../src/shipping/gateway/protocol/value-reader';

type Read = (reader: ValueReader, value: unknown) => unknown;

const text: Read = (reader, value) => reader.text(value);
const number: Read = (reader, value) => reader.number(value);
const date: Read = (reader, value) => reader.date(value);
const flag: Read = (reader, value) => reader.boolean(value);

const RECORD: Readonly<Record<string, Read>> = {
  Id: text,
  OrderId: text,
  ShippingAddress: text,
  TrackingNumber: text,
  Status: text,
  TotalWeight: number,
  CreatedDate: date,
  CreatedBy: text,
  ModifiedDate: date,
  ModifiedBy: text,
  IsDeleted: flag,
};
const ITEM: Readonly<Record<string, Read>> = {
  Id: text,
  Sku: text,
  Description: text,
  Quantity: number,
  Weight: number,
};
const PAGE: Readonly<Record<string, Read>> = {
  TotalCount: number,
  PageNumber: number,
  PageSize: number,
  TotalPages: number,
  HasPreviousPage: flag,
  HasNextPage: flag,
};

/** The names of fields with values of the wrong type in bodies of the specification, each once; never a value. */
export function invalidFields(bodies: readonly unknown[]): readonly string[] {
  return [...new Set(bodies.filter(isUpstreamObject).flatMap(faultsOfBody))];
}

function faultsOfBody(body: UpstreamObject): string[] {
  const list = valueOf(body, 'Items') ?? valueOf(body, 'ShippingDetails');
  return Array.isArray(list) ? [...faultsOf(body, PAGE, ''), ...list.flatMap(faultsOfRecord)] : faultsOfRecord(body);
}

function faultsOfRecord(record: unknown): string[] {
  if (!isUpstreamObject(record)) return ['a record that is no object'];
  const items = valueOf(record, 'ShippingItems') ?? [];
  const id = valueOf(record, 'Id');
  return [
    ...(id == null || id === '' ? ['Id'] : []),
    ...faultsOf(record, RECORD, ''),
    ...(Array.isArray(items) ? items.flatMap(faultsOfItem) : ['ShippingItems']),
  ];
}

function faultsOfItem(item: unknown): string[] {
  return isUpstreamObject(item) ? faultsOf(item, ITEM, 'ShippingItems.') : ['an item that is no object'];
}

function faultsOf(object: UpstreamObject, fields: Readonly<Record<string, Read>>, prefix: string): string[] {
  return Object.entries(fields).flatMap(([name, read]) => {
    const reader = new ValueReader();
    read(reader, valueOf(object, name));
    return reader.foundInvalidValue ? [prefix + name] : [];
  });
}

function valueOf(object: UpstreamObject, name: string): unknown {
  return object[name] ?? object[name.charAt(0).toLowerCase() + name.slice(1)];
}
