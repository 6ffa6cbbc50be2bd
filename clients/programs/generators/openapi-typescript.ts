import createClient from 'openapi-fetch';
import type { paths } from './made/openapi-typescript';
import { COMPLETENESS, EMPTY_PAGES, FAILING, STRICT, type Trial } from './trial';

const PATH = '/api/Shipping/GetShippingPagedList';
const clientOf = (baseUrl: string) => createClient<paths>({ baseUrl });

export const trial: Trial = {
  page: async (url, query) => (await clientOf(url).GET(PATH, { params: { query } })).data,
  completeness: async (url) =>
    (await clientOf(url).GET(PATH, { params: { query: FAILING } })).response.headers.get(COMPLETENESS),
  plainText: async (url) => (await clientOf(url).GET(PATH, { params: { query: EMPTY_PAGES } })).error,
  strictStatus: async (url) =>
    (await clientOf(url).GET(PATH, { params: { query: FAILING, header: STRICT } })).response.status,
};
