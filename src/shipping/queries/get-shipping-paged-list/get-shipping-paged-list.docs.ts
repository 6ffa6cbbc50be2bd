import { EMPTY_PAGE_EXAMPLE, PAGE_EXAMPLE, PARTIAL_PAGE_EXAMPLE } from '../../documentation/examples';
import { ApiShippingOperation } from '../../documentation/shipping-operation.decorator';
import { PagedShippingList } from '../../model/paged-shipping-list';

/** Documentation of `GetShippingPagedList`. */
export const GetShippingPagedListDocs = (): MethodDecorator =>
  ApiShippingOperation({
    summary: 'A page of a list, for data grids',
    description: 'Lists one page of the matching records. Where the external system fails, the page is empty.',
    type: PagedShippingList,
    result: 'The page.',
    examples: {
      complete: { summary: '?PageSize=1 (complete)', value: PAGE_EXAMPLE },
      partial: { summary: '?SearchTerm=SIMULATE-ODD-RECORD (partial)', value: PARTIAL_PAGE_EXAMPLE },
      unavailable: { summary: '?SearchTerm=SIMULATE-500 (unavailable)', value: EMPTY_PAGE_EXAMPLE },
    },
    firstIdentifier: '/items/0/id',
    paged: true,
  });
