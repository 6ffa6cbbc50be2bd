import { GetShippingPagedListQueryParams, GetShippingPagedListResponse } from './made/orval-zod';
import { COMPLETENESS, EMPTY_PAGES, FAILING, STRICT, type Trial } from './trial';

const send = (url: string, query: object, headers: Record<string, string> = {}): Promise<Response> => {
  const entries = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return fetch(`${url}/api/Shipping/GetShippingPagedList?${new URLSearchParams(entries)}`, { headers });
};

export const trial: Trial = {
  packages: ['orval', 'zod'],
  made: "`client: 'zod'`: schemas",
  readsCompleteness: 'schemas only: `headers` of your own `fetch`',
  readsPlainText: 'the schema of the parameters refuses it first: “Too small: expected number to be >=1”',
  page: async (url, query) => {
    const response = await send(url, GetShippingPagedListQueryParams.parse(query));
    return GetShippingPagedListResponse.parse(await response.json());
  },
  completeness: async (url) => (await send(url, FAILING)).headers.get(COMPLETENESS),
  plainText: async () => GetShippingPagedListQueryParams.safeParse(EMPTY_PAGES).error?.issues[0]?.message,
  strictStatus: async (url) => (await send(url, FAILING, STRICT)).status,
};
