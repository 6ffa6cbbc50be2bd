/** One article within a shipment. */
export interface ShippingItem {
  id: string;
  sku: string;
  description: string;
  quantity: number;
  /** Weight of one piece in kilograms, at most three decimals. */
  weight: number;
}

/** A shipment as the sandbox stores it. */
export interface ShippingRecord {
  id: string;
  orderId: string;
  shippingAddress: string;
  trackingNumber: string;
  /** The status text as the external system keeps it; null where it was never set. */
  status: string | null;
  /** Kilograms, at most three decimals. */
  totalWeight: number;
  /** UTC, always in the form `YYYY-MM-DDThh:mm:ss.sssZ`, so that text order is time order. */
  createdDate: string;
  createdBy: string;
  /** Same form as `createdDate`; null where the record was never changed. */
  modifiedDate: string | null;
  modifiedBy: string | null;
  isDeleted: boolean;
  shippingItems: ShippingItem[];
}

/** The query rules the sandbox follows. */
export const SANDBOX_VARIANTS = ['extended', 'basic'] as const;
export type SandboxVariant = (typeof SANDBOX_VARIANTS)[number];

/** The names under which a status is asked for. */
export const STATUS_NAMES = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'] as const;
export type StatusName = (typeof STATUS_NAMES)[number];

const NAME_BY_TEXT: ReadonlyMap<string, StatusName> = new Map([
  ['created', 'Created'],
  ['in_transit', 'InTransit'],
  ['delivered', 'Delivered'],
  ['cancelled', 'Cancelled'],
]);

/** The name a stored status text answers to, ignoring case; `Unknown` for any other text and for none. */
export function statusNameOf(text: string | null): StatusName {
  return NAME_BY_TEXT.get(text?.toLowerCase() ?? '') ?? 'Unknown';
}
