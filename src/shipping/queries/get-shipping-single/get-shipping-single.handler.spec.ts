import { describeLookup } from '../../../../test/support/handlers';
import { GetShippingSingleHandler } from './get-shipping-single.handler';
import { GetShippingSingleQuery } from './get-shipping-single.query';

const PARAMS = { OrderId: 'ORD-1' };

describe('GetShippingSingleHandler', () => {
  describeLookup({ result: 'record', operation: 'single', parameters: PARAMS }, (gateway, context) =>
    new GetShippingSingleHandler(gateway).execute(new GetShippingSingleQuery(PARAMS, context)),
  );
});
