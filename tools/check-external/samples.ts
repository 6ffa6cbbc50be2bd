import type { ShippingLookupItem } from '../../src/shipping/model/response-bodies';

/** Values that lookups and filters are checked with. They never appear in a report. */
export interface Samples {
  readonly id?: string;
  readonly orderId?: string;
  readonly trackingNumber?: string;
  /** Listed records, newest first. */
  readonly records: readonly ShippingLookupItem[];
  /** One of them, with an order, a tracking number and a date where some record has all three. */
  readonly record?: ShippingLookupItem;
  /** The list whose failure is the reason why there are no records. */
  readonly failedList?: 'paged' | 'details';
}

/** Values of the command line, used instead of those of listed records. */
export type GivenSamples = Pick<Samples, 'id' | 'orderId' | 'trackingNumber'>;

export const NO_SAMPLES: Samples = { records: [] };

/** Whether an identifier is empty or a dot segment, which would change the path of a request; the service refuses it. */
export function changesPath(id: string): boolean {
  return /^\.{0,2}$/.test(id);
}

/** A reference of the same form that most likely does not exist, also where all short numbers do. */
export function unknownLike(reference = 'none-'): string {
  return `${reference.slice(0, 50).replace(/\d/g, '9')}999999`;
}
