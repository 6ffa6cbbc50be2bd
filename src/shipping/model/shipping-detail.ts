import { ApiProperty } from '@nestjs/swagger';
import { EXTERNAL_NUMBER, EXTERNAL_TEXT, UTC_TIME } from './external-value-schemas';
import { ShippingListItem } from './shipping-list-item';

/** One item of a shipment. Every field is always present; an unknown value is `null`. */
export class ShippingItem {
  @ApiProperty({ ...EXTERNAL_TEXT, description: 'Item identifier', nullable: true, example: 'SHP-000001-1' })
  id: string | null;

  @ApiProperty({ ...EXTERNAL_TEXT, description: 'Stock keeping unit', nullable: true, example: 'LM-1180' })
  sku: string | null;

  @ApiProperty({ ...EXTERNAL_TEXT, description: 'What the item is', nullable: true, example: 'Desk lamp, brass' })
  description: string | null;

  @ApiProperty({
    ...EXTERNAL_NUMBER,
    description: 'How many; a fraction where goods are sold by weight or length',
    nullable: true,
    example: 1,
  })
  quantity: number | null;

  @ApiProperty({
    ...EXTERNAL_NUMBER,
    description: 'Weight of one piece, in the unit of the external system: kilograms in the sandbox',
    nullable: true,
    example: 1.92,
  })
  weight: number | null;
}

/** The detailed record, returned by the single lookups. */
export class ShippingDetail extends ShippingListItem {
  @ApiProperty({
    ...UTC_TIME,
    description: 'When the record was last modified, ISO 8601 UTC with milliseconds',
    nullable: true,
    example: '2026-07-02T06:15:00.000Z',
  })
  modifiedDate: string | null;

  @ApiProperty({
    ...EXTERNAL_TEXT,
    description: 'Who last modified the record',
    nullable: true,
    example: 'warehouse-1',
  })
  modifiedBy: string | null;

  @ApiProperty({
    type: () => ShippingItem,
    isArray: true,
    description: 'The shipped items',
  })
  shippingItems: ShippingItem[];
}
