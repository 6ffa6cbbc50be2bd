import { equalsIgnoringCase } from '../../common/text';

/** The statuses, by their names in responses and filters. */
export enum ShippingStatus {
  Created = 'Created',
  InTransit = 'InTransit',
  Delivered = 'Delivered',
  Cancelled = 'Cancelled',
  Unknown = 'Unknown',
}

/** How the OpenAPI document describes the statuses, wherever one occurs. */
export const STATUS_DESCRIPTION =
  'The status of a shipment; `Unknown` for any other word of the external system, or none.';

/** The words of the external system for each status, in lower case. Any other word is shown as `Unknown`. */
export const STATUS_WORDS: ReadonlyMap<string, ShippingStatus> = new Map([
  ['created', ShippingStatus.Created],
  ['in_transit', ShippingStatus.InTransit],
  ['delivered', ShippingStatus.Delivered],
  ['cancelled', ShippingStatus.Cancelled],
]);

export const SHIPPING_STATUSES: readonly ShippingStatus[] = Object.values(ShippingStatus);

/** The status with this name, ignoring case. */
export function shippingStatusFromName(name: string): ShippingStatus | undefined {
  return SHIPPING_STATUSES.find((status) => equalsIgnoringCase(status, name));
}
