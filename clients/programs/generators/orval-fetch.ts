import { getShippingPagedList } from './made/orval-fetch';
import { COMPLETENESS, EMPTY_PAGES, FAILING, STRICT, type Trial } from './trial';

export const trial: Trial = {
  page: async (_, query) => {
    const { status, data } = await getShippingPagedList(query);
    return status === 200 ? data : undefined;
  },
  completeness: async () => (await getShippingPagedList(FAILING)).headers.get(COMPLETENESS),
  plainText: async () => (await getShippingPagedList(EMPTY_PAGES)).data,
  strictStatus: async () => (await getShippingPagedList(FAILING, { headers: STRICT })).status,
};
