import { ParameterClass } from '../../src/http/parameters/parameter-class';
import { ListFilters } from '../../src/shipping/queries/shared/shipping-query';

/** Values that no record has; other filters are texts. */
const OTHERS: Readonly<Record<string, string>> = { Status: 'Delivered', FromDate: '9999-01-01', ToDate: '0001-01-01' };

/** Every filter of a list, with a query that no record fits. */
export const FILTERS = [...new ParameterClass(ListFilters).parameters.values()].map(({ name }) => {
  return { name, ofNone: `${name}=${OTHERS[name] ?? 'of-no-record'}` };
});
