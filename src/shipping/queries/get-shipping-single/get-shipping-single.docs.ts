import { ApiShippingOperation } from '../../documentation/operation.docs';
import { DETAIL_EXAMPLE, PARTIAL_DETAIL_EXAMPLE } from '../../documentation/sandbox-records.docs';
import { ShippingDetail } from '../../model/response-bodies';

/** Documentation of `GetShippingSingle`. */
export const GetShippingSingleDocs = (): MethodDecorator =>
  ApiShippingOperation(ShippingDetail, {
    summary: 'One record by criteria',
    description:
      'Finds one record by Id, OrderId or TrackingNumber, at least one of them; Status, FromDate and ToDate narrow the search. ' +
      'All criteria must match. Where several records match, the newest one is returned, and of equally new ones that with the smallest Id. Soft-deleted records are found, too.',
    result: 'The record.',
    complete: ['?OrderId=ORD-000001', DETAIL_EXAMPLE],
    partial: PARTIAL_DETAIL_EXAMPLE,
    find: (text) => `?OrderId=${text}`,
    notFound: '?OrderId=ORD-999999',
    invalid: [
      {
        request: '?Status=Created',
        parameter: 'Id',
        message: 'is missing; give at least one of Id, OrderId, TrackingNumber',
      },
      {
        request: '?OrderId=ORD-000001&orderid=ORD-000001',
        parameter: 'OrderId',
        message: 'is given more than once',
      },
      {
        request: '?OrderId=ORD-000001&TrackingNo=JD0146',
        parameter: 'TrackingNo',
        message: 'is not a parameter of this operation; did you mean TrackingNumber?',
        strict: true,
      },
    ],
  });
