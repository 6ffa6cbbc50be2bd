import { isAxiosError } from 'axios';
import { getShippingPagedList } from './made/orval-axios';
import { COMPLETENESS, EMPTY_PAGES, errorOf, FAILING, STRICT, type Trial } from './trial';

export const trial: Trial = {
  page: async (baseURL, query) => (await getShippingPagedList(query, { baseURL })).data,
  completeness: async (baseURL) =>
    String((await getShippingPagedList(FAILING, { baseURL })).headers[COMPLETENESS.toLowerCase()]),
  plainText: async (baseURL) =>
    (await errorOf(getShippingPagedList(EMPTY_PAGES, { baseURL }), isAxiosError))?.response?.data,
  strictStatus: async (baseURL) =>
    (await errorOf(getShippingPagedList(FAILING, { baseURL, headers: STRICT }), isAxiosError))?.response?.status,
};
