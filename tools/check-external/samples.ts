import type { ShippingLookupItem } from '../../src/shipping/model/response-bodies';

/** Values that lookups and filters are checked with. They never appear in a report. */
export interface Samples {
  readonly id?: string;
  readonly orderId?: string;
  readonly trackingNumber?: string;
  /** Listed records, newest first. */
  readonly records: readonly ShippingLookupItem[];
  /** One of them, with an order, a tracking number, a date and an address with a word where some record has them all. */
  readonly record?: ShippingLookupItem;
  /** The list whose failure is the reason why there are no records. */
  readonly failedList?: 'paged' | 'details';
}

/** Values of the command line, used instead of those of listed records. */
export type GivenSamples = Pick<Samples, 'id' | 'orderId' | 'trackingNumber'>;

export const NO_SAMPLES: Samples = { records: [] };

/** A word that a search in addresses should find. */
export function wordIn(address: string | null | undefined): string | undefined {
  return /\p{L}{4,}/u.exec(address ?? '')?.[0];
}

/** Whether an identifier is empty or a dot segment, which would change the path of a request; the service refuses it. */
export function changesPath(id: string): boolean {
  return /^\.{0,2}$/.test(id);
}

/** A reference of the same form that most likely does not exist, also where all short numbers do. */
export function unknownLike(reference = 'none-'): string {
  return `${reference.slice(0, 50).replace(/\d/g, '9')}999999`;
}
