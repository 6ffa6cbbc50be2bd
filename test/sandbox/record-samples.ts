import type { ShippingRecord } from '../../src/sandbox/shipping-record';
import { inCamelCase, wireRecord } from '../support/upstream/records';

/** A plain record, with the fields a test is about. Fields that are not set here have the values of `wireRecord`. */
export function sampleRecord(fields: Partial<ShippingRecord> & { id: string }): ShippingRecord {
  return {
    ...(inCamelCase(wireRecord()) as ShippingRecord),
    orderId: 'ORD-1',
    shippingAddress: 'Market Street 1',
    trackingNumber: `TRK-${fields.id}`,
    status: 'created',
    totalWeight: 1.5,
    createdDate: '2025-06-01T12:00:00.000Z',
    createdBy: 'system',
    modifiedDate: null,
    modifiedBy: null,
    isDeleted: false,
    shippingItems: [],
    ...fields,
  };
}
