/** Names of statuses in responses and filters. */
export enum ShippingStatus {
  Created = 'Created',
  InTransit = 'InTransit',
  Delivered = 'Delivered',
  Cancelled = 'Cancelled',
  Unknown = 'Unknown',
}

export const SHIPPING_STATUSES: readonly ShippingStatus[] = Object.values(ShippingStatus);

/** The status with this name, ignoring case. */
export function shippingStatusFromName(name: string): ShippingStatus | undefined {
  return SHIPPING_STATUSES.find((status) => new RegExp(`^${status}$`, 'i').test(name));
}
