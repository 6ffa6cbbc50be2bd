import { ApiProperty, OmitType } from '@nestjs/swagger';
import { PAGE_NUMBER, PAGE_SIZE } from './parameter-bounds';
import { SHIPPING_STATUSES, ShippingStatus } from './shipping-status';

/* An unknown value is `null`. */

const ExternalText = (description: string, example: string): PropertyDecorator =>
  ApiProperty({ type: String, description, nullable: true, example });

const ExternalNumber = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: Number, format: 'double', description, nullable: true, example });

const UtcTime = (description: string, example: string): PropertyDecorator =>
  ApiProperty({ type: String, format: 'date-time', description, nullable: true, example });

const Status = (description: string): PropertyDecorator =>
  ApiProperty({ description, enum: SHIPPING_STATUSES, enumName: 'ShippingStatus', example: ShippingStatus.InTransit });

const PageValue = (minimum: number, description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER, minimum, description, example });

/** One row of the paged list. */
export class ShippingListItem {
  /** Records without a valid one are dropped. */
  @ApiProperty({ type: String, minLength: 1, description: 'Record identifier', example: 'SHP-000001' })
  id: string;

  @ExternalText('Identifier of the related order', 'ORD-000001')
  orderId: string | null;

  @ExternalText('Where the shipping goes', 'Friedrichstraße 43, 10117 Berlin, Germany')
  shippingAddress: string | null;

  @ExternalText('Tracking number of the carrier', 'JD014600003828761')
  trackingNumber: string | null;

  @Status('Shipping status; `Unknown` for any other or absent text of the external system')
  status: ShippingStatus;

  @Status('The text name of the status')
  statusDescription: string;

  @ExternalNumber('Total weight, in the unit of the external system', 2.69)
  totalWeight: number | null;

  @UtcTime('When the record was created, ISO 8601 UTC with milliseconds', '2026-07-01T09:30:00.000Z')
  createdDate: string | null;

  @ExternalText('Who created the record', 'order-import')
  createdBy: string | null;

  @ApiProperty({ type: Boolean, description: 'True when the record is not soft-deleted', example: true })
  isActive: boolean;
}

/** One entry of the unpaged list. */
export class ShippingLookupItem extends OmitType(ShippingListItem, ['createdBy'] as const) {}

/** One item of a shipment. */
export class ShippingItem {
  @ExternalText('Item identifier', 'SHP-000001-1')
  id: string | null;

  @ExternalText('Stock keeping unit', 'LM-1180')
  sku: string | null;

  @ExternalText('What the item is', 'Desk lamp, brass')
  description: string | null;

  @ExternalNumber('How many; a fraction where goods are sold by weight or length', 1)
  quantity: number | null;

  @ExternalNumber('Weight of one piece, in the unit of the external system', 1.92)
  weight: number | null;
}

/** The record of single lookups. */
export class ShippingDetail extends ShippingListItem {
  @UtcTime('When the record was last modified, ISO 8601 UTC with milliseconds', '2026-07-02T06:15:00.000Z')
  modifiedDate: string | null;

  @ExternalText('Who last modified the record', 'warehouse-1')
  modifiedBy: string | null;

  @ApiProperty({ type: [ShippingItem], description: 'The shipped items' })
  shippingItems: ShippingItem[];
}

/** One page of shipments. */
export class PagedShippingList {
  @ApiProperty({ type: [ShippingListItem], description: 'The records of this page' })
  items: ShippingListItem[];

  @PageValue(0, 'Records that match, on all pages together', 42)
  totalCount: number;

  @PageValue(PAGE_NUMBER.min, 'Which page this is', 1)
  pageNumber: number;

  @PageValue(PAGE_SIZE.min, 'Records per page', PAGE_SIZE.default)
  pageSize: number;

  @PageValue(0, 'How many pages there are', 5)
  totalPages: number;

  @ApiProperty({ type: Boolean, description: 'Whether there is a page before this one', example: false })
  hasPreviousPage: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether there is a page after this one', example: true })
  hasNextPage: boolean;
}
