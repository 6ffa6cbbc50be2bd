import { readAnswer, type Answer, type NotModified, type RawAnswer, type ShapeCheck } from './answers.ts';
import type { CompletenessLevel } from './completeness.ts';
import { IncompleteList, UnexpectedAnswer } from './errors.ts';
import { createClient, type Client } from './generated/client/index.ts';
import {
  getShippingDetails,
  getShippingInfoById,
  getShippingPagedList,
  getShippingSingle,
} from './generated/sdk.gen.ts';
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
import { orAborted, pause, Waits, type Patience } from './retry-after.ts';
import { contradictionIn, isPage, isRecord } from './shapes.ts';

/** What all calls hand to the generated ones. */
interface CallSettings {
  readonly client: Client;
  readonly parseAs: 'text';
  readonly fetch: typeof fetch;
  readonly headers: Record<string, string>;
}

/** With problems named, all errors are problems. */
const ACCEPT = 'application/json, application/problem+json';

type Call = (settings: CallSettings) => Promise<RawAnswer>;

/**
 * The four operations of the Shipping Query Service.
 *
 * Every method rejects with {@link ShippingProblem} where the service refuses or fails, with {@link UnexpectedAnswer}
 * where something else answered, with the reason of the signal where that was aborted, and with the error of `fetch` where
 * there was no answer. A 429 or 503 that says when to come back is asked again, within `maxRetries` and `maxRetryWaitMs`.
 */
export class ShippingClient {
  private readonly client: Client;
  private readonly fetch: Fetch;
  private readonly headers: () => RequestHeaders | Promise<RequestHeaders>;
  private readonly strict: boolean;
  private readonly patience: Patience;

  constructor(options: ShippingClientOptions) {
    const { baseUrl, headers = {}, strict = false, maxRetries = 2, maxRetryWaitMs = 10_000 } = options;
    if (/[?#]/.test(baseUrl)) throw new TypeError('baseUrl has a query or a fragment');
    if (/^[^/]*\/\/[^/]*@/.test(baseUrl)) throw new TypeError('baseUrl has credentials; use headers');
    this.client = createClient({ baseUrl: baseUrl.replace(/\/+$/, '') });
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
    return this.ask((settings) => getShippingSingle({ ...settings, query: params }), isRecord, options);
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
    return this.ask((settings) => getShippingInfoById({ ...settings, path: { id } }), isRecord, options);
  }

  /** A simple list without pages, for lookups and dropdowns. */
  getShippingDetails<Options extends CallOptions = UnconditionalOptions>(
    params: GetShippingDetailsParams = {},
    options?: Options,
  ): Promise<AnswerFor<ShippingLookupItem[], Options>> {
    return this.ask((settings) => getShippingDetails({ ...settings, query: params }), Array.isArray, options);
  }

  /** One page of a list. */
  getShippingPagedList<Options extends CallOptions = UnconditionalOptions>(
    params: GetShippingPagedListParams = {},
    options?: Options,
  ): Promise<AnswerFor<PagedShippingList, Options>> {
    return this.ask((settings) => getShippingPagedList({ ...settings, query: params }), isPage, options);
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
    call: Call,
    hasShape: ShapeCheck,
    options?: Options,
  ): Promise<AnswerFor<Data, Options>> {
    const { signal, ifNoneMatch }: CallOptions = options ?? {};
    for (const waits = new Waits(this.patience); ;) {
      const raw = await orAborted(() => this.attempt(call, options ?? {}), signal);
      const waitMs = waits.next(raw.response);
      if (waitMs === undefined) {
        const answer: Answer<Data> | NotModified = readAnswer<Data>(raw, hasShape, ifNoneMatch !== undefined);
        // Without `ifNoneMatch` there is no 304.
        return answer as AnswerFor<Data, Options>;
      }
      await pause(waitMs, signal);
    }
  }

  private async attempt(call: Call, options: CallOptions): Promise<RawAnswer> {
    const { signal = null, strict = this.strict, ifNoneMatch, requestId } = options;
    const own: NonNullable<GetShippingDetailsData['headers']> = {
      ...(strict && { Prefer: 'handling=strict' }),
      ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
      ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    };
    const raw = await call({
      client: this.client,
      parseAs: 'text',
      headers: { ...(await this.headers()), ...options.headers, ...own, Accept: ACCEPT },
      // The signal itself, and no request of one implementation of `fetch` for another.
      fetch: (input) => {
        const { url, method, headers } = input as Request;
        return this.fetch(url, { method, headers: Object.fromEntries(headers), redirect: 'manual', signal });
      },
    });
    // The generated client returns what `fetch` threw.
    if ((raw.response as Response | undefined) === undefined) throw raw.error;
    return raw;
  }
}
