import { asciiLowerCase } from '../../common/text';

/** The statuses of a shipment. Responses and filters have these names. */
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

/** Converts the status text of the external system, ignoring case; other texts and none are `Unknown`. */
export function shippingStatusFromExternalText(text: string | null): ShippingStatus {
  return BY_EXTERNAL_TEXT.get((text ?? '').toLowerCase()) ?? ShippingStatus.Unknown;
}

/** The status with a name, ignoring case; `undefined` for other names. */
export function shippingStatusFromName(name: string): ShippingStatus | undefined {
  return SHIPPING_STATUSES.find((status) => status.toLowerCase() === asciiLowerCase(name));
}
