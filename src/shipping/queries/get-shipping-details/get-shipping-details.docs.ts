import { LOOKUP_EXAMPLE, PARTIAL_LOOKUP_EXAMPLE } from '../../documentation/examples';
import { ApiShippingOperation } from '../../documentation/shipping-operation.decorator';
import { ShippingLookupItem } from '../../model/shipping-lookup-item';

/** Documentation of `GetShippingDetails`. */
export const GetShippingDetailsDocs = (): MethodDecorator =>
  ApiShippingOperation({
    summary: 'A simple list, for lookups and dropdowns',
    description: 'Lists the matching records, without pages. Where the external system fails, the list is empty.',
    type: ShippingLookupItem,
    isArray: true,
    result: 'The matching records, possibly none.',
    examples: {
      complete: { summary: '?Limit=1 (complete)', value: LOOKUP_EXAMPLE },
      partial: { summary: '?SearchTerm=SIMULATE-ODD-RECORD (partial)', value: PARTIAL_LOOKUP_EXAMPLE },
      unavailable: { summary: '?SearchTerm=SIMULATE-500 (unavailable)', value: [] },
    },
    firstIdentifier: '/0/id',
  });
