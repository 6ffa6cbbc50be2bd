import type { ShippingLookupItem } from '../../src/shipping/model/shipping-lookup-item';
import type { CheckedSystem } from './checked-system';

/** Values that lookups and filters are checked with. They never appear in a report. */
export interface Samples {
  readonly id?: string;
  readonly orderId?: string;
  readonly trackingNumber?: string;
  /** Listed records, newest first. */
  readonly records: readonly ShippingLookupItem[];
  /** One of them, with an order, a tracking number and a date where some record has all three. */
  readonly record?: ShippingLookupItem;
}

/** Values of the command line, used instead of those of listed records. */
export type GivenSamples = Pick<Samples, 'id' | 'orderId' | 'trackingNumber'>;

export const NO_SAMPLES: Samples = { records: [] };

/** Chooses samples among the newest records; from the middle, so that filters have records before and after. */
export async function findSamples(system: CheckedSystem, given: GivenSamples): Promise<Samples> {
  const records = await listed(system);
  const full = records.filter(
    ({ orderId, trackingNumber, createdDate }) => orderId && trackingNumber && createdDate !== null,
  );
  const candidates = (full.length > 0 ? full : records).filter(({ id }) => !changesPath(id));
  const record = candidates[Math.floor(candidates.length / 2)];
  return {
    id: given.id ?? record?.id,
    orderId: given.orderId ?? textOf(record?.orderId),
    trackingNumber: given.trackingNumber ?? textOf(record?.trackingNumber),
    records,
    record,
  };
}

function textOf(text: string | null | undefined): string | undefined {
  return text === null || text === '' ? undefined : text;
}

/** Of the paged list, otherwise of the unpaged one; the rules report why a list fails. */
async function listed(system: CheckedSystem): Promise<readonly ShippingLookupItem[]> {
  const page = await system.page().then(
    ({ items }) => items,
    () => [],
  );
  return page.length > 0 ? page : system.list().catch(() => []);
}

/** Whether an identifier is empty or a dot segment, which would change the path of a request; the service refuses it. */
export function changesPath(id: string): boolean {
  return /^\.{0,2}$/.test(id);
}

/** A reference of the same form that most likely does not exist. */
export function unknownLike(reference = 'none'): string {
  const other = reference.replace(/\d/g, '9');
  return other === reference ? `${reference}-check-9` : other;
}
