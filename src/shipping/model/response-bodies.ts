import { ApiProperty, OmitType } from '@nestjs/swagger';
import { PAGE_NUMBER, PAGE_SIZE } from './parameter-bounds';
import { SHIPPING_STATUSES, ShippingStatus } from './shipping-status';

/**
 * Schemas of the values of the external system. That system restricts nothing: a text may have any character and length,
 * bounded only by the size of the whole response.
 */

export const EXTERNAL_TEXT = { type: String } as const;

/** Records without a valid identifier are dropped. */
export const EXTERNAL_IDENTIFIER = { type: String, minLength: 1 } as const;

/** A fraction or an integer; integers that JSON parsing would round are unknown. */
export const EXTERNAL_NUMBER = { type: Number, format: 'double' } as const;

/** ISO 8601 UTC with milliseconds, see `isoUtc`. */
export const UTC_TIME = { type: String, format: 'date-time' } as const;

/** A number of a page. */
export const PAGE_VALUE = { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER } as const;

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

/** One entry of the unpaged list: the list item without `createdBy`. */
export class ShippingLookupItem extends OmitType(ShippingListItem, ['createdBy'] as const) {}

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

/** One page of shipments with its paging values. */
export class PagedShippingList {
  @ApiProperty({
    type: () => ShippingListItem,
    isArray: true,
    description: 'The records of this page',
  })
  items: ShippingListItem[];

  @ApiProperty({
    ...PAGE_VALUE,
    minimum: 0,
    description: 'Records that match, on all pages together',
    example: 1882,
  })
  totalCount: number;

  @ApiProperty({ ...PAGE_VALUE, minimum: PAGE_NUMBER.min, description: 'Which page this is', example: 1 })
  pageNumber: number;

  @ApiProperty({
    ...PAGE_VALUE,
    minimum: PAGE_SIZE.min,
    description: 'Records per page',
    example: PAGE_SIZE.default,
  })
  pageSize: number;

  @ApiProperty({ ...PAGE_VALUE, minimum: 0, description: 'How many pages there are', example: 189 })
  totalPages: number;

  @ApiProperty({ type: Boolean, description: 'Whether there is a page before this one', example: false })
  hasPreviousPage: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether there is a page after this one', example: true })
  hasNextPage: boolean;
}
