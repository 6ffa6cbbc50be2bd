import { isAxiosError } from 'axios';
import { createApiClient } from './zodios/made';
import { COMPLETENESS, EMPTY_PAGES, FAILING, STRICT, type Trial } from './trial';

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
  plainText: (url) =>
    createApiClient(url, { validate: 'response' })
      .getShippingPagedList({ queries: EMPTY_PAGES })
      .catch((error: unknown) => (isAxiosError(error) ? error.response?.data : error)),
  strictStatus: (url) =>
    createApiClient(url)
      .getShippingPagedList({ queries: FAILING, headers: STRICT })
      .then(
        () => undefined,
        (error: unknown) => (isAxiosError(error) ? error.response?.status : undefined),
      ),
};
