import { ApiShippingOperation, INVALID_FILTERS } from '../../documentation/operation.docs';
import { emptyPage, PAGE_EXAMPLE, partialPage } from '../../documentation/sandbox-records.docs';
import { PagedShippingList } from '../../model/response-bodies';

/** Documentation of `GetShippingPagedList`. */
export const GetShippingPagedListDocs = (): MethodDecorator =>
  ApiShippingOperation(PagedShippingList, (settings) => ({
    summary: 'A page of a list, for data grids',
    description: 'Lists one page of the matching records.',
    result: 'The page.',
    complete: ['?PageSize=1', PAGE_EXAMPLE],
    partial: partialPage(settings),
    empty: emptyPage(settings),
    find: (text) => `?SearchTerm=${text}`,
    invalid: INVALID_FILTERS,
    firstIdentifier: '/items/0/id',
    paged: true,
  }));
