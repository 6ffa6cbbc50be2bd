import { ApiProperty, OmitType } from '@nestjs/swagger';
import { PAGE_NUMBER, PAGE_SIZE } from './parameter-rules';
import { type ShippingStatus, STATUS_SCHEMA } from './shipping-status';

/* Every field is always present; a value that is unknown is `null` (D13). */

const ExternalText = (description: string): PropertyDecorator =>
  ApiProperty({ type: String, description, nullable: true });

const ExternalNumber = (description: string): PropertyDecorator =>
  ApiProperty({ type: Number, format: 'double', description, nullable: true });

const UtcTime = (event: string): PropertyDecorator => {
  const description = `When the record was ${event}, ISO 8601 UTC with milliseconds`;
  return ApiProperty({ type: String, format: 'date-time', description, nullable: true });
};

const Status = (description: string): PropertyDecorator => ApiProperty({ ...STATUS_SCHEMA, description });

/** Without the format `int64`, from which generators make a `bigint`, which `JSON.stringify` refuses (D72). */
const PageValue = (minimum: number, description: string): PropertyDecorator =>
  ApiProperty({ type: 'integer', maximum: Number.MAX_SAFE_INTEGER, minimum, description });

/** One row of the paged list. */
export class ShippingListItem {
  /** Never `null`: a record without a valid identifier is dropped (D19). */
  @ApiProperty({ type: String, minLength: 1, description: 'Record identifier' }) id: string;
  @ExternalText('Identifier of the related order') orderId: string | null;
  @ExternalText('Where the shipping goes') shippingAddress: string | null;
  @ExternalText('Tracking number of the carrier') trackingNumber: string | null;
  @Status('Shipping status; `Unknown` for any other or absent text of the external system') status: ShippingStatus;
  @Status('The text name of the status') statusDescription: string;
  @ExternalNumber('Total weight, in the unit of the external system') totalWeight: number | null;
  @UtcTime('created') createdDate: string | null;
  @ExternalText('Who created the record') createdBy: string | null;
  @ApiProperty({ type: Boolean, description: 'True when the record is not soft-deleted' }) isActive: boolean;
}

/** One entry of the unpaged list. */
export class ShippingLookupItem extends OmitType(ShippingListItem, ['createdBy'] as const) {}

/** One item of a shipment. */
export class ShippingItem {
  @ExternalText('Item identifier') id: string | null;
  @ExternalText('Stock keeping unit') sku: string | null;
  @ExternalText('What the item is') description: string | null;
  @ExternalNumber('How many; a fraction where goods are sold by weight or length') quantity: number | null;
  @ExternalNumber('Weight of one piece, in the unit of the external system') weight: number | null;
}

/** The record of single lookups. */
export class ShippingDetail extends ShippingListItem {
  @UtcTime('last modified') modifiedDate: string | null;
  @ExternalText('Who last modified the record') modifiedBy: string | null;
  @ApiProperty({ type: [ShippingItem], description: 'The shipped items' }) shippingItems: ShippingItem[];
}

/** One page of shipments. */
export class PagedShippingList {
  @ApiProperty({ type: [ShippingListItem], description: 'The records of this page' }) items: ShippingListItem[];
  @PageValue(0, 'Records that match, on all pages together') totalCount: number;
  @PageValue(PAGE_NUMBER.min, 'Which page this is') pageNumber: number;
  @PageValue(PAGE_SIZE.min, 'Records per page') pageSize: number;
  @PageValue(0, 'How many pages there are') totalPages: number;
  @ApiProperty({ type: Boolean, description: 'Whether there is a page before this one' }) hasPreviousPage: boolean;
  @ApiProperty({ type: Boolean, description: 'Whether there is a page after this one' }) hasNextPage: boolean;
}
