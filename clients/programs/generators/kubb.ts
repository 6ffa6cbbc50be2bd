import { isAxiosError } from 'axios';
import { getShippingPagedList } from './made/kubb';
import { COMPLETENESS, EMPTY_PAGES, errorOf, FAILING, STRICT, type Trial } from './trial';

export const trial: Trial = {
  packages: ['@kubb/plugin-client', 'axios'],
  made: "`client: 'axios'`, `bundle: true`, `dataReturnType: 'full'`",
  readsCompleteness: '`headers` of the result',
  readsPlainText: '`error.response.data` is the text; with `fetch`, kubb throws a `SyntaxError`',
  page: async (baseURL, query) => (await getShippingPagedList(query, {}, { baseURL })).data,
  completeness: async (baseURL) =>
    String(Object(await getShippingPagedList(FAILING, {}, { baseURL })).headers[COMPLETENESS.toLowerCase()]),
  plainText: async (baseURL) =>
    (await errorOf(getShippingPagedList(EMPTY_PAGES, {}, { baseURL }), isAxiosError))?.response?.data,
  strictStatus: async (baseURL) =>
    (await errorOf(getShippingPagedList(FAILING, STRICT, { baseURL }), isAxiosError))?.response?.status,
};
