import { Api } from './made/swagger-typescript-api';
import { COMPLETENESS, EMPTY_PAGES, errorOf, FAILING, STRICT, type Trial } from './trial';

const listOf = (baseUrl: string) => new Api({ baseUrl }).api.getShippingPagedList;
/** The client throws the response of an error. */
const isResponse = (error: unknown): error is Response => error instanceof Response;

export const trial: Trial = {
  packages: ['swagger-typescript-api'],
  made: '`--enum-style union`: a status is a text',
  readsCompleteness: '`headers` of the result',
  readsPlainText: '`await error.text()`: what is thrown is the response, and its `error` a `SyntaxError`',
  page: async (url, query) => (await listOf(url)(query)).data,
  completeness: async (url) => (await listOf(url)(FAILING)).headers.get(COMPLETENESS),
  plainText: async (url) => (await errorOf(listOf(url)(EMPTY_PAGES), isResponse))?.text(),
  strictStatus: async (url) => (await errorOf(listOf(url)(FAILING, { headers: STRICT }), isResponse))?.status,
};
