import { readAnswer, type Answer, type NotModified, type RawAnswer, type ShapeCheck } from './answers.ts';
import type { CompletenessLevel } from './completeness.ts';
import { IncompleteList, UnexpectedAnswer } from './errors.ts';
import type {
  GetShippingDetailsData,
  PagedShippingList,
  ShippingDetail,
  ShippingListItem,
  ShippingLookupItem,
} from './generated/types.gen.ts';
import type {
  AnswerFor,
  CallOptions,
  Fetch,
  GetShippingDetailsParams,
  GetShippingPagedListParams,
  GetShippingSingleParams,
  PagesOptions,
  RequestHeaders,
  ShippingClientOptions,
  UnconditionalOptions,
} from './options.ts';
import { checkedBaseUrl, mergedHeaders, urlOf, type Operation } from './request.ts';
import { orAborted, pause, Waits, type Patience } from './retry-after.ts';
import { contradictionIn, isPage, isRecord } from './shapes.ts';

/** With problems named, all errors are problems. Browsers send this value to other origins without a preflight. */
const ACCEPT = 'application/json, application/problem+json';

/**
 * The four operations of the Shipping Query Service.
 *
 * Every method rejects with {@link ShippingProblem} where the service refuses or fails, with {@link UnexpectedAnswer}
 * where something else answered, with the reason of the signal where that was aborted, and with the error of `fetch` where
 * there was no answer. A 429 or 503 that says when to come back is asked again, within `maxRetries` and `maxRetryWaitMs`.
 */
export class ShippingClient {
  private readonly baseUrl: string;
  private readonly fetch: Fetch;
  private readonly headers: () => RequestHeaders | Promise<RequestHeaders>;
  private readonly strict: boolean;
  private readonly patience: Patience;

  /** @throws TypeError where `baseUrl` is missing or invalid */
  constructor(options: ShippingClientOptions) {
    const given = options as Partial<ShippingClientOptions> | undefined;
    this.baseUrl = checkedBaseUrl(given?.baseUrl, given?.fetch !== undefined);
    const { headers = {}, strict = false, maxRetries = 2, maxRetryWaitMs = 10_000 } = options;
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.headers = typeof headers === 'function' ? headers : () => headers;
    this.strict = strict;
    this.patience = { maxRetries, maxRetryWaitMs };
  }

  /** One record by any of `Id`, `OrderId` and `TrackingNumber`; of several, the newest. None: 404 `shipping-not-found`. */
  getShippingSingle<Options extends CallOptions = UnconditionalOptions>(
    params: GetShippingSingleParams,
    options?: Options,
  ): Promise<AnswerFor<ShippingDetail, Options>> {
    return this.ask({ url: '/api/Shipping/GetShippingSingle', query: params }, isRecord, options);
  }

  /**
   * One record by its identifier. None: 404 `shipping-not-found`.
   *
   * @throws TypeError where the identifier is `.` or `..`, which no URL can carry
   */
  getShippingInfoById<Options extends CallOptions = UnconditionalOptions>(
    id: string,
    options?: Options,
  ): Promise<AnswerFor<ShippingDetail, Options>> {
    if (id === '.' || id === '..') return Promise.reject(new TypeError('The identifier is a dot segment'));
    return this.ask({ url: '/api/Shipping/GetShippingInfoById/{id}', path: { id } }, isRecord, options);
  }

  /** A simple list without pages, for lookups and dropdowns. */
  getShippingDetails<Options extends CallOptions = UnconditionalOptions>(
    params: GetShippingDetailsParams = {},
    options?: Options,
  ): Promise<AnswerFor<ShippingLookupItem[], Options>> {
    return this.ask({ url: '/api/Shipping/GetShippingDetails', query: params }, Array.isArray, options);
  }

  /** One page of a list. */
  getShippingPagedList<Options extends CallOptions = UnconditionalOptions>(
    params: GetShippingPagedListParams = {},
    options?: Options,
  ): Promise<AnswerFor<PagedShippingList, Options>> {
    return this.ask({ url: '/api/Shipping/GetShippingPagedList', query: params }, isPage, options);
  }

  /**
   * All pages from `PageNumber` (1 where it is left out) on, one call each, with all other parameters kept. It ends after
   * a page without a next one and in no other way: a page that is `unavailable`, or less complete than `accept` allows,
   * throws {@link IncompleteList}, and an error of a call is thrown as it is. By default it accepts `partial` and `stale`
   * pages, which say so in their `completeness`.
   */
  async *pages(
    params: GetShippingPagedListParams = {},
    { accept = ['complete', 'partial', 'stale'], ...options }: PagesOptions = {},
  ): AsyncGenerator<Answer<PagedShippingList>, void, undefined> {
    const accepted: readonly CompletenessLevel[] = accept;
    for (let pageNumber = params.PageNumber ?? 1; ; pageNumber += 1) {
      const answer = await this.getShippingPagedList({ ...params, PageNumber: pageNumber }, options);
      const { completeness, data, requestId } = answer;
      if (completeness.level === 'unavailable' || !accepted.includes(completeness.level)) {
        throw new IncompleteList(completeness, pageNumber, requestId);
      }
      const contradiction = contradictionIn(data, pageNumber);
      if (contradiction !== undefined) {
        throw new UnexpectedAnswer(`The answer ${contradiction}`, { status: 200, requestId, retryAfterMs: undefined });
      }
      yield answer;
      if (!data.hasNextPage) return;
    }
  }

  /**
   * All records of all pages, as {@link pages} reads them. A record cannot show how complete its page was, so that by
   * default only `complete` pages are accepted.
   */
  async *items(
    params: GetShippingPagedListParams = {},
    { accept = ['complete'], ...options }: PagesOptions = {},
  ): AsyncGenerator<ShippingListItem, void, undefined> {
    for await (const { data } of this.pages(params, { ...options, accept })) yield* data.items;
  }

  private async ask<Data, Options extends CallOptions>(
    operation: Operation,
    hasShape: ShapeCheck,
    options?: Options,
  ): Promise<AnswerFor<Data, Options>> {
    const { signal, ifNoneMatch }: CallOptions = options ?? {};
    for (const waits = new Waits(this.patience); ;) {
      const raw = await orAborted(() => this.attempt(operation, options ?? {}), signal);
      const waitMs = waits.next(raw.response);
      if (waitMs === undefined) {
        const answer: Answer<Data> | NotModified = readAnswer<Data>(raw, hasShape, ifNoneMatch !== undefined);
        // Without `ifNoneMatch` there is no 304.
        return answer as AnswerFor<Data, Options>;
      }
      await pause(waitMs, signal);
    }
  }

  private async attempt(operation: Operation, options: CallOptions): Promise<RawAnswer> {
    const { signal = null, strict = this.strict, ifNoneMatch, requestId } = options;
    const own: NonNullable<GetShippingDetailsData['headers']> = {
      ...(strict && { Prefer: 'handling=strict' }),
      ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
      ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    };
    const headers = mergedHeaders(await this.headers(), options.headers, { ...own, Accept: ACCEPT });
    const url = urlOf(this.baseUrl, operation);
    const response = await this.fetch(url, { method: 'GET', headers, redirect: 'manual', signal });
    return { response, text: await response.text() };
  }
}
