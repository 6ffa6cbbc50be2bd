import type { Type } from '@nestjs/common';
import { fieldsOf, type FieldOptions } from '../model-fields';
import {
  isUpstreamObject,
  ValueReader,
  type UpstreamObject,
} from '../../../src/shipping/gateway/protocol/value-reader';
import { PagedShippingList, ShippingDetail, ShippingItem } from '../../../src/shipping/model/response-bodies';

type Read = (reader: ValueReader, value: unknown) => unknown;

const text: Read = (reader, value) => reader.text(value);
const number: Read = (reader, value) => reader.number(value);
const date: Read = (reader, value) => reader.date(value);
const flag: Read = (reader, value) => reader.boolean(value);

/** Fields that are spelled otherwise, or have no value of their own. */
const RECORD = { ...readersOf(ShippingDetail, ['isActive', 'statusDescription', 'shippingItems']), IsDeleted: flag };
const ITEM = readersOf(ShippingItem);
const PAGE = readersOf(PagedShippingList, ['items']);

/** How each field of a model is read from an upstream response. */
function readersOf(model: Type, others: readonly string[] = []): Readonly<Record<string, Read>> {
  const fields = fieldsOf(model).filter(([name]) => !others.includes(name));
  return Object.fromEntries(fields.map(([name, options]) => [capitalised(name), readerOf(options)]));
}

function readerOf({ type, format }: FieldOptions): Read {
  if (format === 'date-time') return date;
  if (type === Boolean) return flag;
  return type === Number || type === 'integer' ? number : text;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

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
