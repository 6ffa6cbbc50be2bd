import { ApiProperty } from '@nestjs/swagger';
import { PAGE_VALUE } from './external-value-schemas';
import { PAGE_NUMBER, PAGE_SIZE } from './paging-rules';
import { ShippingListItem } from './shipping-list-item';

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
