import { DETAIL_EXAMPLE, PARTIAL_DETAIL_EXAMPLE } from '../../documentation/examples';
import { ApiShippingOperation } from '../../documentation/shipping-operation.decorator';
import { ShippingDetail } from '../../model/shipping-detail';

/** Documentation of `GetShippingSingle`. */
export const GetShippingSingleDocs = (): MethodDecorator =>
  ApiShippingOperation({
    summary: 'One record by criteria',
    description:
      'Finds one record by Id, OrderId or TrackingNumber, at least one of them; Status, FromDate and ToDate narrow the search. ' +
      'All criteria must match. Where several records match, the newest one is returned, and of equally new ones that with the smallest Id.',
    type: ShippingDetail,
    result: 'The record.',
    examples: {
      complete: { summary: '?OrderId=ORD-000001 (complete)', value: DETAIL_EXAMPLE },
      partial: { summary: '?OrderId=SIMULATE-ODD-RECORD (partial)', value: PARTIAL_DETAIL_EXAMPLE },
    },
    notFound: true,
  });
