import { isAxiosError } from 'axios';
import { createApiClient } from './zodios/made';
import { COMPLETENESS, EMPTY_PAGES, errorOf, FAILING, STRICT, type Trial } from './trial';

/** An interceptor sees the headers, which the client leaves out of its results. */
async function completenessOf(url: string): Promise<string> {
  const client = createApiClient(url);
  let seen = '';
  client.axios.interceptors.response.use((response) => {
    seen = String(response.headers[COMPLETENESS.toLowerCase()]);
    return response;
  });
  await client.getShippingPagedList({ queries: FAILING });
  return seen;
}

export const trial: Trial = {
  packages: ['openapi-zod-client', '@zodios/core'],
  made: "`validate: 'response'`",
  readsCompleteness: 'an interceptor of `client.axios`',
  readsPlainText: '`error.response.data` is the text; by default, the client refuses the parameter first',
  page: (url, query) => createApiClient(url).getShippingPagedList({ queries: query }),
  completeness: completenessOf,
  plainText: async (url) => {
    const call = createApiClient(url, { validate: 'response' }).getShippingPagedList({ queries: EMPTY_PAGES });
    return (await errorOf(call, isAxiosError))?.response?.data;
  },
  strictStatus: async (url) => {
    const call = createApiClient(url).getShippingPagedList({ queries: FAILING, headers: STRICT });
    return (await errorOf(call, isAxiosError))?.response?.status;
  },
};
