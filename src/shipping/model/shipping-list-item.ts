import { ApiProperty } from '@nestjs/swagger';
import { EXTERNAL_IDENTIFIER, EXTERNAL_NUMBER, EXTERNAL_TEXT, UTC_TIME } from './external-value-schemas';
import { SHIPPING_STATUSES, ShippingStatus } from './shipping-status';

/** One row of the paged list. Every field is always present; an unknown value is `null`. */
export class ShippingListItem {
  @ApiProperty({ ...EXTERNAL_IDENTIFIER, description: 'Record identifier', example: 'SHP-000001' })
  id: string;

  @ApiProperty({
    ...EXTERNAL_TEXT,
    description: 'Identifier of the related order',
    nullable: true,
    example: 'ORD-000001',
  })
  orderId: string | null;

  @ApiProperty({
    ...EXTERNAL_TEXT,
    description: 'Where the shipping goes',
    nullable: true,
    example: 'Friedrichstraße 43, 10117 Berlin, Germany',
  })
  shippingAddress: string | null;

  @ApiProperty({
    ...EXTERNAL_TEXT,
    description: 'Tracking number of the carrier',
    nullable: true,
    example: 'JD014600003828761',
  })
  trackingNumber: string | null;

  @ApiProperty({
    description: 'Shipping status; `Unknown` for any other or absent text of the external system',
    enum: SHIPPING_STATUSES,
    enumName: 'ShippingStatus',
    example: ShippingStatus.InTransit,
  })
  status: ShippingStatus;

  @ApiProperty({
    description: 'The text name of the status',
    enum: SHIPPING_STATUSES,
    enumName: 'ShippingStatus',
    example: ShippingStatus.InTransit,
  })
  statusDescription: string;

  @ApiProperty({
    ...EXTERNAL_NUMBER,
    description: 'Total weight, in the unit of the external system: kilograms in the sandbox',
    nullable: true,
    example: 2.69,
  })
  totalWeight: number | null;

  @ApiProperty({
    ...UTC_TIME,
    description: 'When the record was created, ISO 8601 UTC with milliseconds',
    nullable: true,
    example: '2026-07-01T09:30:00.000Z',
  })
  createdDate: string | null;

  @ApiProperty({ ...EXTERNAL_TEXT, description: 'Who created the record', nullable: true, example: 'order-import' })
  createdBy: string | null;

  @ApiProperty({ type: Boolean, description: 'True when the record is not soft-deleted', example: true })
  isActive: boolean;
}
