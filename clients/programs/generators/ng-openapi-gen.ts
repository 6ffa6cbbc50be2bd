import '@angular/compiler';
import { IMAGE_CONFIG } from '@angular/common';
import { HttpClient, HttpErrorResponse, provideHttpClient, withFetch } from '@angular/common/http';
import { createApplication } from '@angular/platform-browser';
import { firstValueFrom } from 'rxjs';
import { getShippingPagedList, type GetShippingPagedList$Params } from './made/ng-openapi-gen/functions';
import { COMPLETENESS, EMPTY_PAGES, errorOf, FAILING, STRICT, type Trial } from './trial';

/** An application without a page, because only its `HttpClient` is needed. */
const noPage = { disableImageSizeWarning: true, disableImageLazyLoadWarning: true };
const providers = [provideHttpClient(withFetch()), { provide: IMAGE_CONFIG, useValue: noPage }];
const application = createApplication({ providers });

async function list(url: string, params: GetShippingPagedList$Params) {
  const http = (await application).injector.get(HttpClient);
  return firstValueFrom(getShippingPagedList(http, url, params));
}
const isHttpError = (error: unknown): error is HttpErrorResponse => error instanceof HttpErrorResponse;

export const trial: Trial = {
  packages: ['ng-openapi-gen', '@angular/common'],
  readsCompleteness: '`headers` of the whole response (`invoke$Response`)',
  readsPlainText: '`error.error` is the text',
  page: async (url, query) => (await list(url, query)).body,
  completeness: async (url) => (await list(url, FAILING)).headers.get(COMPLETENESS),
  plainText: async (url) => (await errorOf(list(url, EMPTY_PAGES), isHttpError))?.error,
  strictStatus: async (url) => (await errorOf(list(url, { ...FAILING, ...STRICT }), isHttpError))?.status,
};
