import { ApiShippingOperation, INVALID_FILTERS } from '../../documentation/operation.docs';
import { EMPTY_PAGE, PAGE_EXAMPLE, PARTIAL_PAGE } from '../../documentation/sandbox-records.docs';
import { PagedShippingList } from '../../model/response-bodies';

/** Documentation of `GetShippingPagedList`. */
export const GetShippingPagedListDocs = (): MethodDecorator =>
  ApiShippingOperation(PagedShippingList, {
    summary: 'A page of a list, for data grids',
    description: 'Lists one page of the matching records.',
    result: 'The page.',
    complete: ['?PageSize=1', PAGE_EXAMPLE],
    partial: PARTIAL_PAGE,
    empty: EMPTY_PAGE,
    find: (text) => `?SearchTerm=${text}`,
    invalid: INVALID_FILTERS,
    firstIdentifier: '/items/0/id',
    paged: true,
  });
