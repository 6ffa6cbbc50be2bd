import type { ShippingRecord } from '../../src/sandbox/records';
import { wireRecord } from '../../testing/upstream/records';

/** A plain record, with the fields a test is about. Fields that are not set here have the values of `wireRecord`. */
export function sampleRecord(fields: Partial<ShippingRecord> & { Id: string }): ShippingRecord {
  return {
    ...(wireRecord() as unknown as ShippingRecord),
    OrderId: 'ORD-1',
    ShippingAddress: 'Market Street 1',
    TrackingNumber: `TRK-${fields.Id}`,
    Status: 'created',
    CreatedDate: '2025-06-01T12:00:00.000Z',
    ModifiedDate: null,
    ModifiedBy: null,
    ShippingItems: [],
    ...fields,
  };
}
