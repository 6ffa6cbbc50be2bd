import { wrongShape } from '../../../resilience/http-failures';
import { asPartial, type QueryResult } from '../../model/query-result';
import type { ShippingLookupItem } from '../../model/response-bodies';
import { ShippingStatus } from '../../model/shipping-status';
import type { ComparableParameter, ShippingProtocol, UpstreamRequest } from './shipping-protocol';
import { describeCounts } from './value-reader';

/** Removes a difference between texts, such as that of case, from each of them. */
type Normalisation = (text: string) => string;

/**
 * Differences between texts that people take for the same, by the words of a cause. Zeros are removed where they begin
 * a number, and dashes after them, because `1-01` without its dash would be another number.
 */
const DIFFERENCES: readonly (readonly [name: string, Normalisation])[] = [
  ['Unicode normalisation', (text) => text.normalize('NFC')],
  ['case', (text) => text.toLowerCase()],
  ['blanks', (text) => text.replace(/[\s\p{Cf}]/gu, '')],
  ['zeros', (text) => text.replace(/(?<!\d)0+(?=\d)/g, '')],
  ['dashes', (text) => text.replace(/[\p{Pd}\u2212]/gu, '')],
];
/** Those that are none for an order id and a tracking number, because carriers reformat them (D18). */
const FORMATS = DIFFERENCES.filter(([name]) => name !== 'zeros');

type ComparedRecord = Pick<ShippingLookupItem, 'orderId' | 'trackingNumber' | 'status'>;
const VALUES: readonly (readonly [ComparableParameter, (record: ComparedRecord) => string | null])[] = [
  ['OrderId', ({ orderId }) => orderId],
  ['TrackingNumber', ({ trackingNumber }) => trackingNumber],
  ['Status', ({ status }) => status],
];

/** The Id of an object with default values: 0, or a UUID of zeros. */
const ZERO_ID = /^[0-]+$/;

interface Comparison {
  readonly name: ComparableParameter;
  readonly requested: string;
  readonly valueOf: (record: ComparedRecord) => string | null;
  /** Whether a record has another value than the requested one. */
  readonly isAnother: (value: string | null) => boolean;
}

/**
 * Refuses a record that is not the requested one. It may belong to somebody else, as where a late response arrives on a
 * connection that is used again, or where the external system ignores a parameter that it does not know (D18).
 *
 * @throws {UpstreamFailure}
 */
export function requireRequestedRecord(
  request: UpstreamRequest,
  record: (ComparedRecord & { readonly id: string }) | undefined,
  { notComparable }: ShippingProtocol,
): void {
  if (record === undefined) return;
  const Id = request.id ?? request.parameters?.Id;
  if (Id !== undefined && record.id.toLowerCase() !== Id.toLowerCase()) throw another('Id', Id, record.id);
  for (const { name, requested, valueOf, isAnother } of comparisonsOf(request, notComparable)) {
    const value = valueOf(record);
    if (isAnother(value)) throw another(name, requested, value ?? '');
    // Some systems return an object with the default values of its class where they find nothing.
    const isDefault = Id === undefined && ZERO_ID.test(record.id) && (value ?? '').trim() === '';
    if (isDefault) throw wrongShape(`a default object: an Id of zeros and no ${name}`);
  }
}

/**
 * Drops the records that have another value than a filter asked for: the external system ignores the filter (D18).
 * A request without a filter costs no comparison.
 *
 * @param itemsOf the records of the body
 * @param bodyWith makes a body with the remaining records
 */
export function withoutOtherRecords<Body, Item extends ComparedRecord>(
  result: QueryResult<Body>,
  itemsOf: (body: Body) => readonly Item[],
  bodyWith: (items: Item[], body: Body) => Body,
  request: UpstreamRequest,
  { notComparable }: ShippingProtocol,
): QueryResult<Body> {
  const comparisons = comparisonsOf(request, notComparable);
  if (comparisons.length === 0) return result;
  const items = itemsOf(result.body);
  const dropped = new Map<string, number>();
  const kept = items.filter((item) => {
    const other = comparisons.find(({ valueOf, isAnother }) => isAnother(valueOf(item)));
    if (other === undefined) return true;
    const what = `records with another ${other.name}`;
    dropped.set(what, (dropped.get(what) ?? 0) + 1);
    return false;
  });
  if (kept.length === items.length) return result;
  const completeness = asPartial(result.completeness, describeCounts(dropped), items.length - kept.length);
  return { ...result, body: bodyWith(kept, result.body), completeness };
}

function comparisonsOf(
  { parameters = {} }: UpstreamRequest,
  notComparable: readonly ComparableParameter[] = [],
): readonly Comparison[] {
  const comparisons: Comparison[] = [];
  for (const [name, valueOf] of VALUES) {
    const requested: unknown = parameters[name];
    if (typeof requested !== 'string' || notComparable.includes(name)) continue;
    if (name !== 'Status') comparisons.push({ name, requested, valueOf, isAnother: anotherText(requested) });
    else if (requested !== (ShippingStatus.Unknown as string)) {
      comparisons.push({ name, requested, valueOf, isAnother: anotherStatus(requested) });
    }
  }
  return comparisons;
}

/**
 * A status word that is not known passes: a system with words of its own filters rightly by them, and all of its
 * records would be dropped.
 */
function anotherStatus(requested: string): Comparison['isAnother'] {
  return (value) => value !== requested && value !== (ShippingStatus.Unknown as string);
}

function anotherText(requested: string): Comparison['isAnother'] {
  let comparable: string | undefined;
  return (value) => {
    if (value === null || value === requested) return false;
    comparable ??= normalised(requested, FORMATS);
    const received = normalised(value, FORMATS);
    // A blank text, or a dash for "none", is an absent value, which passes.
    return received !== '' && received !== comparable;
  };
}

function normalised(text: string, normalisations: typeof FORMATS): string {
  return normalisations.reduce((each, [, normalise]) => normalise(each), text);
}

/** The failure that names what differs, where it is something that is easily overlooked, but no value (D81). */
function another(name: string, requested: string, received: string): Error {
  const areEqualBut = (exception?: string): boolean => {
    const others = DIFFERENCES.filter(([difference]) => difference !== exception);
    return normalised(requested, others) === normalised(received, others);
  };
  const names = DIFFERENCES.map(([difference]) => difference);
  const differing = areEqualBut() ? names.filter((difference) => !areEqualBut(difference)) : [];
  const only = differing.length === 0 ? '' : `: differs only in ${differing.join(' and ')}`;
  return wrongShape(`another ${name} than the one requested${only}`);
}
