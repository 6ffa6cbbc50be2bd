import { getShippingPagedList } from './made/orval-fetch';
import { COMPLETENESS, EMPTY_PAGES, FAILING, STRICT, type Trial } from './trial';

export const trial: Trial = {
  packages: ['orval'],
  made: "`client: 'fetch'`; `baseUrl` is part of its configuration",
  readsCompleteness: '`headers` of the result',
  readsPlainText: '`data` of the result is the text, and its type says so',
  page: async (_, query) => {
    const { status, data } = await getShippingPagedList(query);
    return status === 200 ? data : undefined;
  },
  completeness: async () => (await getShippingPagedList(FAILING)).headers.get(COMPLETENESS),
  plainText: async () => (await getShippingPagedList(EMPTY_PAGES)).data,
  strictStatus: async () => (await getShippingPagedList(FAILING, { headers: STRICT })).status,
};
