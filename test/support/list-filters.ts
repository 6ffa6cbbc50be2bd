import { ParameterClass } from '../../src/http/parameters/parameter-class';
import { NO_FILTERS } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { GetShippingDetailsParams } from '../../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { GetShippingPagedListParams } from '../../src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { DETAILS, PAGED } from './operations';

/** Values that no record has; other filters are texts. */
const OTHERS: Readonly<Record<string, string>> = { Status: 'Delivered', FromDate: '9999-01-01', ToDate: '0001-01-01' };

/** Every filter of each list, with a query that no record fits. */
export const FILTERS = [
  { list: DETAILS, type: GetShippingDetailsParams },
  { list: PAGED, type: GetShippingPagedListParams },
].flatMap(({ list, type }) => {
  const names = [...new ParameterClass(type).parameters.values()].map(({ name }) => name);
  const filters = names.filter((name) => NO_FILTERS.every((other) => other !== name));
  return filters.map((name) => ({ name, list, ofNone: `${name}=${OTHERS[name] ?? 'of-no-record'}` }));
});
