import { client } from './made/hey-api-transformers/client.gen';
import { getShippingPagedList } from './made/hey-api-transformers';
import { COMPLETENESS, EMPTY_PAGES, FAILING, STRICT, type Trial } from './trial';

const at = (baseUrl: string) => ({ client: (client.setConfig({ baseUrl }), client) });

export const trial: Trial = {
  packages: ['@hey-api/openapi-ts'],
  made: '`@hey-api/transformers`',
  readsCompleteness: '`response.headers`',
  readsPlainText: '`error` is the text',
  page: async (url, query) => (await getShippingPagedList({ ...at(url), query })).data,
  completeness: async (url) =>
    (await getShippingPagedList({ ...at(url), query: FAILING })).response?.headers.get(COMPLETENESS),
  plainText: async (url) => (await getShippingPagedList({ ...at(url), query: EMPTY_PAGES })).error,
  strictStatus: async (url) =>
    (await getShippingPagedList({ ...at(url), query: FAILING, headers: STRICT })).response?.status,
};
