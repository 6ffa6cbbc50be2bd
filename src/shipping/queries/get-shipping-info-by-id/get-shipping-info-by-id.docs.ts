import { DETAIL_EXAMPLE, PARTIAL_DETAIL_EXAMPLE } from '../../documentation/examples';
import { ApiShippingOperation } from '../../documentation/shipping-operation.decorator';
import { ShippingDetail } from '../../model/shipping-detail';

/** Documentation of `GetShippingInfoById`. */
export const GetShippingInfoByIdDocs = (): MethodDecorator =>
  ApiShippingOperation({
    summary: 'One record by its identifier',
    description: 'Finds the record with an identifier, soft-deleted or not.',
    type: ShippingDetail,
    result: 'The record.',
    examples: {
      complete: { summary: 'SHP-000001 (complete)', value: DETAIL_EXAMPLE },
      partial: { summary: 'SIMULATE-ODD-RECORD (partial)', value: PARTIAL_DETAIL_EXAMPLE },
    },
    notFound: true,
  });
