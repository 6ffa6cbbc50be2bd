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

/** Records by which the query rules of both variants of the sandbox differ. */
export const QUERIED_RECORDS = [
  sampleRecord({ Id: 'A', ShippingAddress: 'Große Straße 1, Köln' }),
  sampleRecord({ Id: 'B', Status: 'IN_TRANSIT', OrderId: 'ORD-Ä', ShippingAddress: 'Łódź'.normalize('NFD') }),
  sampleRecord({ Id: 'C', Status: 'delivered', CreatedDate: '2025-06-02T00:00:00.000Z' }),
  sampleRecord({ Id: 'D', Status: 'on_hold', CreatedDate: '2025-06-03T00:00:00.000Z' }),
  sampleRecord({ Id: 'E', Status: undefined, CreatedDate: '2025-06-04T00:00:00.000Z' }),
  sampleRecord({ Id: 'F', Status: 'cancelled', IsDeleted: true, CreatedDate: '2025-06-05T00:00:00.000Z' }),
];
