import { client } from './made/hey-api-zod/client.gen';
import { getShippingPagedList } from './made/hey-api-zod';
import { COMPLETENESS, EMPTY_PAGES, FAILING, STRICT, type Trial } from './trial';

const at = (baseUrl: string) => ({ client: (client.setConfig({ baseUrl }), client) });

export const trial: Trial = {
  page: async (url, query) => (await getShippingPagedList({ ...at(url), query })).data,
  completeness: async (url) =>
    (await getShippingPagedList({ ...at(url), query: FAILING })).response?.headers.get(COMPLETENESS),
  plainText: (url) => getShippingPagedList({ ...at(url), query: EMPTY_PAGES }).then(({ error }) => error, String),
  strictStatus: async (url) =>
    (await getShippingPagedList({ ...at(url), query: FAILING, headers: STRICT })).response?.status,
};
