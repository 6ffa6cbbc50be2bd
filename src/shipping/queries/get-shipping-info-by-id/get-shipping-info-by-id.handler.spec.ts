import { describeLookup } from '../../../../test/support/handlers';
import { GetShippingInfoByIdHandler } from './get-shipping-info-by-id.handler';
import { GetShippingInfoByIdQuery } from './get-shipping-info-by-id.query';

describe('GetShippingInfoByIdHandler', () => {
  describeLookup({ result: 'record', operation: 'by-id', id: 'SHP-1' }, (gateway, context) =>
    new GetShippingInfoByIdHandler(gateway).execute(new GetShippingInfoByIdQuery({ id: 'SHP-1' }, context)),
  );
});
