import { defaults, getShippingPagedList } from './made/oazapfts';
import { COMPLETENESS, type Trial } from './trial';

const at = (baseUrl: string): void => void (defaults.baseUrl = baseUrl);

export const trial: Trial = {
  packages: ['oazapfts'],
  readsCompleteness: '`headers` of the result',
  readsPlainText: '`data` of the result is the text; its type says `Problem`',
  page: async (url, query) => {
    at(url);
    const { SearchTerm, Status, PageSize, SortBy, SortDirection } = query;
    const result = await getShippingPagedList({
      searchTerm: SearchTerm,
      status: Status,
      pageSize: PageSize,
      sortBy: SortBy,
      sortDirection: SortDirection,
    });
    return result.status === 200 && 'data' in result && 'items' in result.data ? result.data : undefined;
  },
  completeness: async (url) => {
    at(url);
    return (await getShippingPagedList({ searchTerm: 'SIMULATE-NOT-FOUND' })).headers.get(COMPLETENESS);
  },
  plainText: async (url) => {
    at(url);
    const result = await getShippingPagedList({ pageSize: 0 });
    return 'data' in result ? result.data : undefined;
  },
  strictStatus: async (url) => {
    at(url);
    return (await getShippingPagedList({ searchTerm: 'SIMULATE-NOT-FOUND', prefer: 'handling=strict' })).status;
  },
};
