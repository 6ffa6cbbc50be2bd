import { ApiProperty } from '@nestjs/swagger';
import { SHIPPING_STATUSES, ShippingStatus } from './shipping-status';

/** One row of the paged list. Every field is always present; an unknown value is `null`. */
export class ShippingListItem {
  @ApiProperty({ description: 'Record identifier', type: String, maxLength: 1024, example: 'SHP-000001' })
  id: string;

  @ApiProperty({
    description: 'Identifier of the related order',
    type: String,
    nullable: true,
    maxLength: 1024,
    example: 'ORD-000001',
  })
  orderId: string | null;

  @ApiProperty({
    type: String,
    description: 'Where the shipping goes',
    nullable: true,
    maxLength: 65_536,
    example: 'Friedrichstraße 43, 10117 Berlin, Germany',
  })
  shippingAddress: string | null;

  @ApiProperty({
    type: String,
    description: 'Tracking number of the carrier',
    nullable: true,
    maxLength: 1024,
    example: 'JD014600003828761',
  })
  trackingNumber: string | null;

  @ApiProperty({
    description: 'Shipping status; `Unknown` for a text of the external system that is none of the others, or absent',
    enum: SHIPPING_STATUSES,
    enumName: 'ShippingStatus',
    example: ShippingStatus.InTransit,
  })
  status: ShippingStatus;

  @ApiProperty({
    type: String,
    description: 'The text name of the status',
    enum: SHIPPING_STATUSES,
    example: ShippingStatus.InTransit,
  })
  statusDescription: string;

  @ApiProperty({
    type: Number,
    format: 'double',
    description: 'Total weight, in the unit of the external system',
    nullable: true,
    example: 2.69,
  })
  totalWeight: number | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the record was created, ISO 8601 UTC with milliseconds',
    nullable: true,
    maxLength: 24,
    example: '2026-07-01T09:30:00.000Z',
  })
  createdDate: string | null;

  @ApiProperty({
    type: String,
    description: 'Who created the record',
    nullable: true,
    maxLength: 1024,
    example: 'order-import',
  })
  createdBy: string | null;

  @ApiProperty({ type: Boolean, description: 'True when the record is not soft-deleted', example: true })
  isActive: boolean;
}
