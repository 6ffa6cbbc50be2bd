import { describeList } from '../../../../test/support/handlers';
import { GetShippingDetailsHandler } from './get-shipping-details.handler';
import { GetShippingDetailsQuery } from './get-shipping-details.query';

const PARAMS = { SearchTerm: 'Berlin', Limit: 3 };

describe('GetShippingDetailsHandler', () => {
  describeList({
    expected: { result: 'list', operation: 'details', parameters: PARAMS },
    emptyBody: [],
    query: (context) => new GetShippingDetailsQuery(PARAMS, context),
    handler: (gateway) => new GetShippingDetailsHandler(gateway, { maxLimit: 3 }),
  });
});
