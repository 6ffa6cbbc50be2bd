import { ApiShippingOperation, INVALID_FILTERS } from '../../documentation/operation.docs';
import { LOOKUP_EXAMPLE, PARTIAL_LOOKUP_EXAMPLE } from '../../documentation/sandbox-records.docs';
import { ShippingLookupItem } from '../../model/response-bodies';

/** Documentation of `GetShippingDetails`. */
export const GetShippingDetailsDocs = (): MethodDecorator =>
  ApiShippingOperation(ShippingLookupItem, {
    summary: 'A simple list, for lookups and dropdowns',
    description: 'Lists the matching records, without pages.',
    isArray: true,
    result: 'The matching records, possibly none.',
    complete: ['?Limit=1', LOOKUP_EXAMPLE],
    partial: PARTIAL_LOOKUP_EXAMPLE,
    empty: [],
    find: (text) => `?SearchTerm=${text}`,
    invalid: INVALID_FILTERS,
    firstIdentifier: '/0/id',
  });
