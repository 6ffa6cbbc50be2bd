import { ApiProperty } from '@nestjs/swagger';
import { PAGE_NUMBER, PAGE_SIZE } from './limits';
import { ShippingListItem } from './shipping-list-item';

/** One page of shippings with the figures a data grid needs. */
export class PagedShippingList {
  @ApiProperty({
    type: () => ShippingListItem,
    isArray: true,
    maxItems: 100_000,
    description: 'The records of this page',
  })
  items: ShippingListItem[];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Records that match, on all pages together',
    example: 1876,
  })
  totalCount: number;

  @ApiProperty({ type: 'integer', minimum: PAGE_NUMBER.min, maximum: Number.MAX_SAFE_INTEGER, example: 1 })
  pageNumber: number;

  @ApiProperty({
    type: 'integer',
    minimum: PAGE_SIZE.min,
    maximum: Number.MAX_SAFE_INTEGER,
    example: PAGE_SIZE.default,
  })
  pageSize: number;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, example: 188 })
  totalPages: number;

  @ApiProperty({ type: Boolean, example: false })
  hasPreviousPage: boolean;

  @ApiProperty({ type: Boolean, example: true })
  hasNextPage: boolean;
}
