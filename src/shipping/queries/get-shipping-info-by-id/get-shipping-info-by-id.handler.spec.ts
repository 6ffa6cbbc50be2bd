import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { describeLookup } from '../../../../test/support/handlers';
import { GetShippingInfoByIdHandler } from './get-shipping-info-by-id.handler';
import { GetShippingInfoByIdQuery, infoByIdRequest } from './get-shipping-info-by-id.query';

describe('GetShippingInfoByIdHandler', () => {
  describeLookup({ call: 'record', operation: 'by-id', id: 'SHP-1' }, (gateway, context) =>
    new GetShippingInfoByIdHandler(gateway).execute(new GetShippingInfoByIdQuery({ id: 'SHP-1' }, context)),
  );
});

describeGatewayContract({
  call: 'record',
  params: (id) => ({ id }),
  request: infoByIdRequest,
  query: GetShippingInfoByIdQuery,
  externalPath: '/shippings/by-id/{text}',
});
