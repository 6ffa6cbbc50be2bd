import { asciiLowerCase } from '../../common/text';

/** Names of statuses in responses and filters. */
export enum ShippingStatus {
  Created = 'Created',
  InTransit = 'InTransit',
  Delivered = 'Delivered',
  Cancelled = 'Cancelled',
  Unknown = 'Unknown',
}

export const SHIPPING_STATUSES: readonly ShippingStatus[] = Object.values(ShippingStatus);

const BY_EXTERNAL_TEXT = new Map([
  ['created', ShippingStatus.Created],
  ['in_transit', ShippingStatus.InTransit],
  ['delivered', ShippingStatus.Delivered],
  ['cancelled', ShippingStatus.Cancelled],
]);

/** Ignores case; unknown texts and none are `Unknown`. */
export function shippingStatusFromExternalText(text: string | null): ShippingStatus {
  return BY_EXTERNAL_TEXT.get((text ?? '').toLowerCase()) ?? ShippingStatus.Unknown;
}

/** The status with this name, ignoring case. */
export function shippingStatusFromName(name: string): ShippingStatus | undefined {
  return SHIPPING_STATUSES.find((status) => status.toLowerCase() === asciiLowerCase(name));
}
