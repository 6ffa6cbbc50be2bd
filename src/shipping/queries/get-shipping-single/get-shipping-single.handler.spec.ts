import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { describeLookup } from '../../../../test/support/handlers';
import { GetShippingSingleHandler } from './get-shipping-single.handler';
import { GetShippingSingleQuery, singleRequest } from './get-shipping-single.query';

const PARAMS = { OrderId: 'ORD-1' };

describe('GetShippingSingleHandler', () => {
  describeLookup({ call: 'record', operation: 'single', parameters: PARAMS }, (gateway, context) =>
    new GetShippingSingleHandler(gateway).execute(new GetShippingSingleQuery(PARAMS, context)),
  );
});

describeGatewayContract({
  call: 'record',
  params: (OrderId) => ({ OrderId }),
  request: singleRequest,
  query: GetShippingSingleQuery,
  externalPath: '/shippings/single',
  textParameter: 'OrderId',
});
