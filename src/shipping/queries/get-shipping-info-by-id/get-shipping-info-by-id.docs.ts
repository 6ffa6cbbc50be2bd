import { ApiShippingOperation } from '../../documentation/operation.docs';
import { DETAIL_EXAMPLE, PARTIAL_DETAIL_EXAMPLE } from '../../documentation/sandbox-records.docs';
import { ShippingDetail } from '../../model/response-bodies';

/** Documentation of `GetShippingInfoById`. */
export const GetShippingInfoByIdDocs = (): MethodDecorator =>
  ApiShippingOperation(ShippingDetail, {
    summary: 'One record by its identifier',
    description: 'Finds the record with an identifier, soft-deleted or not.',
    result: 'The record.',
    complete: ['SHP-000001', DETAIL_EXAMPLE],
    partial: PARTIAL_DETAIL_EXAMPLE,
    find: (text) => text,
    notFound: 'SHP-999999',
    invalid: [
      { request: '-', parameter: 'id', message: 'is not a valid shipping identifier' },
      {
        request: 'SHP-000001?Status=Created',
        parameter: 'Status',
        message: 'is not a parameter of this operation',
        strict: true,
      },
    ],
  });
