import { ApiProperty } from '@nestjs/swagger';
import { ShippingListItem } from './shipping-list-item';

/** One article of a shipping. */
export class ShippingItem {
  @ApiProperty({
    type: String,
    description: 'Item identifier',
    nullable: true,
    maxLength: 1024,
    example: 'SHP-000001-1',
  })
  id: string | null;

  @ApiProperty({ type: String, description: 'Stock keeping unit', nullable: true, maxLength: 1024, example: 'LM-1180' })
  sku: string | null;

  @ApiProperty({
    type: String,
    description: 'What the item is',
    nullable: true,
    maxLength: 65_536,
    example: 'Desk lamp, brass',
  })
  description: string | null;

  @ApiProperty({ type: Number, format: 'double', description: 'How many', nullable: true, example: 1 })
  quantity: number | null;

  @ApiProperty({
    type: Number,
    format: 'double',
    description: 'Weight, in the unit of the external system',
    nullable: true,
    example: 1.92,
  })
  weight: number | null;
}

/** The whole record, returned by the single lookups. */
export class ShippingDetail extends ShippingListItem {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the record was last modified, ISO 8601 UTC with milliseconds',
    nullable: true,
    maxLength: 24,
    example: '2026-07-02T06:15:00.000Z',
  })
  modifiedDate: string | null;

  @ApiProperty({
    type: String,
    description: 'Who last modified the record',
    nullable: true,
    maxLength: 1024,
    example: 'warehouse-1',
  })
  modifiedBy: string | null;

  @ApiProperty({ type: () => ShippingItem, isArray: true, maxItems: 100_000, description: 'The articles shipped' })
  shippingItems: ShippingItem[];
}
