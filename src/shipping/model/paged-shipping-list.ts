import { ApiProperty } from '@nestjs/swagger';
import { PAGE_FIGURE } from './external-values';
import { DEFAULT_MAX_REPLY_BYTES, PAGE_NUMBER, PAGE_SIZE } from './limits';
import { ShippingListItem } from './shipping-list-item';

/** One page of shippings with the figures a data grid needs. */
export class PagedShippingList {
  @ApiProperty({
    type: () => ShippingListItem,
    isArray: true,
    maxItems: DEFAULT_MAX_REPLY_BYTES,
    description: 'The records of this page',
  })
  items: ShippingListItem[];

  @ApiProperty({
    ...PAGE_FIGURE,
    minimum: 0,
    description: 'Records that match, on all pages together',
    example: 1876,
  })
  totalCount: number;

  @ApiProperty({ ...PAGE_FIGURE, minimum: PAGE_NUMBER.min, description: 'Which page this is', example: 1 })
  pageNumber: number;

  @ApiProperty({
    ...PAGE_FIGURE,
    minimum: PAGE_SIZE.min,
    description: 'Records per page',
    example: PAGE_SIZE.default,
  })
  pageSize: number;

  @ApiProperty({ ...PAGE_FIGURE, minimum: 0, description: 'How many pages there are', example: 188 })
  totalPages: number;

  @ApiProperty({ type: Boolean, description: 'Whether there is a page before this one', example: false })
  hasPreviousPage: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether there is a page after this one', example: true })
  hasNextPage: boolean;
}
