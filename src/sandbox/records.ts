/** A shipment as the sandbox keeps it and sends it. An unknown Status or CreatedBy is left out. */
export interface ShippingRecord {
  readonly Id: string;
  readonly OrderId: string;
  readonly ShippingAddress: string;
  /** Null before the carrier has the shipment. */
  readonly TrackingNumber: string | null;
  readonly Status: string | undefined;
  /** Kilograms, also of one piece of an item; null before the shipment is weighed. */
  readonly TotalWeight: number | null;
  /** `YYYY-MM-DDThh:mm:ss.sssZ`, so that text order is time order. */
  readonly CreatedDate: string;
  readonly CreatedBy: string | undefined;
  /** The same without a zone, which means UTC, as in some such systems; null where the record was never changed. */
  readonly ModifiedDate: string | null;
  readonly ModifiedBy: string | null;
  readonly IsDeleted: boolean;
  readonly ShippingItems: readonly { Id: string; Sku: string; Description: string; Quantity: number; Weight: number }[];
}

/** The record as lists send it. */
export const toSummary = (record: ShippingRecord): object => ({ ...record, ShippingItems: undefined });
