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
  /** Null before the carrier has the shipment. */
  trackingNumber: string | null;
  /** The status text as the external system keeps it; null where it was never set. */
  status: string | null;
  /** Kilograms, at most three decimals; null before the shipment is weighed. */
  totalWeight: number | null;
  /** UTC, always in the form `YYYY-MM-DDThh:mm:ss.sssZ`, so that text order is time order. */
  createdDate: string;
  /** Null where an older system did not keep it. */
  createdBy: string | null;
  /** Same form as `createdDate`; null where the record was never changed. */
  modifiedDate: string | null;
  modifiedBy: string | null;
  isDeleted: boolean;
  shippingItems: ShippingItem[];
}

/** A record as the lists show it. */
export type ShippingSummary = Omit<ShippingRecord, 'shippingItems'>;

/** The fields of a summary in the order of the wire, with the SQL type of the column that stores each. */
const SUMMARY_TYPES = {
  id: 'TEXT NOT NULL',
  orderId: 'TEXT NOT NULL',
  shippingAddress: 'TEXT NOT NULL',
  trackingNumber: 'TEXT',
  status: 'TEXT',
  totalWeight: 'REAL',
  createdDate: 'TEXT NOT NULL',
  createdBy: 'TEXT',
  modifiedDate: 'TEXT',
  modifiedBy: 'TEXT',
  isDeleted: 'INTEGER NOT NULL',
} as const satisfies Readonly<Record<keyof ShippingSummary, string>>;

/** Each field of a summary with its column (`orderId`, `order_id`) and name on the wire (`OrderId`). */
export const SUMMARY_FIELDS = (Object.keys(SUMMARY_TYPES) as (keyof ShippingSummary)[]).map((field) => ({
  field,
  column: field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  type: SUMMARY_TYPES[field],
  wireName: field.charAt(0).toUpperCase() + field.slice(1),
}));

/** The names of statuses in requests. */
export const STATUS_NAMES = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'] as const;
export type StatusName = (typeof STATUS_NAMES)[number];

const NAME_BY_TEXT: ReadonlyMap<string, StatusName> = new Map([
  ['created', 'Created'],
  ['in_transit', 'InTransit'],
  ['delivered', 'Delivered'],
  ['cancelled', 'Cancelled'],
]);

/** The name of a stored status text, ignoring case; `Unknown` for any other text and for none. */
export function statusNameOf(text: string | null): StatusName {
  return NAME_BY_TEXT.get(text?.toLowerCase() ?? '') ?? 'Unknown';
}
