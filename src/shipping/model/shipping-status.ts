import { equalsIgnoringCase } from '../../common/text';

/** The statuses, by their names in responses and filters. */
export enum ShippingStatus {
  Created = 'Created',
  InTransit = 'InTransit',
  Delivered = 'Delivered',
  Cancelled = 'Cancelled',
  Unknown = 'Unknown',
}

const STATUS_BY_WORD = {
  created: ShippingStatus.Created,
  in_transit: ShippingStatus.InTransit,
  delivered: ShippingStatus.Delivered,
  cancelled: ShippingStatus.Cancelled,
};

/** The status texts of the specification's wire format; every other text becomes `Unknown`. */
export type StatusWord = keyof typeof STATUS_BY_WORD;

/** The status of each word of the external system, in lower case. */
export const STATUS_WORDS: ReadonlyMap<string, ShippingStatus> = new Map(Object.entries(STATUS_BY_WORD));

export const SHIPPING_STATUSES: readonly ShippingStatus[] = Object.values(ShippingStatus);

/** How the OpenAPI document describes the statuses, wherever one occurs. */
export const STATUS_SCHEMA = {
  enum: SHIPPING_STATUSES,
  enumName: 'ShippingStatus',
  enumSchema: {
    description: 'The status of a shipment; `Unknown` for any other word of the external system, or none.',
  },
};

/** The status with this name, ignoring case. */
export function shippingStatusFromName(name: string): ShippingStatus | undefined {
  return SHIPPING_STATUSES.find((status) => equalsIgnoringCase(status, name));
}
