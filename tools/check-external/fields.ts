import { StandardProtocol } from '#src/index';
import { fieldOf, isAbsent, type UpstreamObject } from '#src/shipping/gateway/protocol/value-reader';
import { CannotTell, type CheckedSystem, must, needed } from './checked-system';
import { LOOKUPS, sentBy } from './received';

/** The fields of the wire format by the responses that have them, each with those before it (D17). */
const LISTED = 'Id OrderId ShippingAddress TrackingNumber Status TotalWeight CreatedDate IsDeleted'.split(' ');
const PAGED = [...LISTED, 'CreatedBy'];
const DETAILED = [...PAGED, 'ModifiedDate', 'ModifiedBy', 'ShippingItems'];
const ITEM = 'Id Sku Description Quantity Weight'.split(' ');
const PAGING = 'TotalCount PageNumber PageSize TotalPages HasPreviousPage HasNextPage'.split(' ');
export const BODY = ['Items', 'ShippingDetails', ...PAGING];
/** Fields that are `null` in a record that was never modified, so that the check asks only for their names. */
const MAY_BE_NULL = ['ModifiedDate', 'ModifiedBy'];

const MAX_NAMES = 10;
/**
 * A report names only fields of this form. Other names may be data, as where an object has identifiers of records as
 * its names, and a report must not contain data.
 */
export const NAMEABLE = /^(?!.*\d{3})[A-Za-z_@$][\w.@$-]{0,39}$/;

/**
 * A field that is absent from every record is legal, and so is a further one: only their names tell that one was
 * renamed. With a class for another wire format, whose names are unknown here, the mapped records are looked at.
 *
 * @returns the names that the service does not read
 */
export function fields(kind: 'paged' | 'details' | 'lookup') {
  return (system: CheckedSystem): string | undefined => {
    const operations = kind === 'lookup' ? LOOKUPS : [kind];
    const needs = { paged: PAGED, details: LISTED, lookup: DETAILED }[kind];
    const own = system.calls.filter(({ operation }) => operations.includes(operation));
    const { bodies, records, items } = sentBy(own);
    const isStandard = system.protocol.constructor === StandardProtocol;
    const mapped = operations.flatMap((operation) => system.records(operation));
    needed(isStandard ? records[0] : mapped[0], 'Needs a record');
    if (!isStandard) {
      const leftOut = missingFrom(mapped, needs, isMapped).map(inCamelCase);
      if (leftOut.length > 0) throw new CannotTell(`Left out: ${leftOut.join(', ')}`);
      return undefined;
    }
    const unknown = [...namesBeyond(BODY, bodies), ...namesBeyond(DETAILED, records), ...namesBeyond(ITEM, items)];
    const missing = missingFrom(records, needs, isSent);
    if (items.length > 0) missing.push(...missingFrom(items, ITEM, isSent).map((name) => `ShippingItems.${name}`));
    const notRead = unknown.length === 0 ? undefined : `Not read: ${listed(unknown)}`;
    must(missing.length === 0, [`In no record: ${missing.join(', ')}`, notRead].filter(Boolean).join('. '));
    if (kind === 'lookup' && items.length === 0) throw new CannotTell('Needs a record with ShippingItems');
    return notRead;
  };
}

type IsThere = (value: unknown, name: string) => boolean;
const isSent: IsThere = (value, name) => (MAY_BE_NULL.includes(name) ? value !== undefined : !isAbsent(value));
const isEmpty = (value: unknown): boolean => value == null || (Array.isArray(value) && value.length === 0);
/** Every mapped record has `isActive`. */
const isMapped: IsThere = (value, name) => name === 'IsDeleted' || !isEmpty(value);

function missingFrom(objects: readonly object[], needs: readonly string[], isThere: IsThere): string[] {
  return needs.filter((name) => !objects.some((object) => isThere(fieldOf(object as UpstreamObject, name), name)));
}

/** The names that are none of the known ones, in PascalCase or camelCase. */
function namesBeyond(known: readonly string[], objects: readonly UpstreamObject[]): string[] {
  const both = new Set(known.flatMap((name) => [name, inCamelCase(name)]));
  return [...new Set(objects.flatMap(Object.keys))].filter((name) => !both.has(name));
}

const inCamelCase = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

function listed(names: readonly string[]): string {
  const nameable = [...new Set(names.filter((name) => NAMEABLE.test(name)))];
  const rest = new Set(names).size - Math.min(nameable.length, MAX_NAMES);
  return [...nameable.slice(0, MAX_NAMES), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
