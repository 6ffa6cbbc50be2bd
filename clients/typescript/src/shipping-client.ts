import { readAnswer, type Answer, type NotModified, type RawAnswer, type ShapeCheck } from './answers.ts';
import type { CompletenessLevel } from './completeness.ts';
import { CrowdedInstant, IncompleteList, ListChanged, UnexpectedAnswer } from './errors.ts';
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
  ExportParams,
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
import { contradictionIn, disorderIn, isPage, isRecord } from './shapes.ts';

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
    for (let PageNumber = params.PageNumber ?? 1; ; PageNumber += 1) {
      const answer = await this.soundPage({ ...params, PageNumber }, accept, options);
      yield answer;
      if (!answer.data.hasNextPage) return;
    }
  }

  /**
   * All records of all pages, as {@link pages} reads them. A record cannot show how complete its page was, so that by
   * default only `complete` pages are accepted. For a list that stays as it is meanwhile: where `totalCount` changes
   * between two pages, it throws {@link ListChanged}. {@link exportItems} reads lists that change.
   */
  async *items(
    params: GetShippingPagedListParams = {},
    { accept = ['complete'], ...options }: PagesOptions = {},
  ): AsyncGenerator<ShippingListItem, void, undefined> {
    let before: number | undefined;
    for await (const { data, requestId } of this.pages(params, { ...options, accept })) {
      const { items, pageNumber, totalCount } = data;
      before ??= totalCount;
      if (totalCount !== before) throw new ListChanged(pageNumber, before, totalCount, requestId);
      yield* items;
    }
  }

  /**
   * All records by `CreatedDate`, ascending, of a list that may change meanwhile: each page begins at the last
   * `createdDate` of the one before, so that no page moves. Each record comes once, and every record comes that has a
   * date and is in the list all the time. By default only `complete` pages are accepted, and none of a cache.
   *
   * @throws CrowdedInstant where as many records share a `createdDate` as a page holds
   * @throws IncompleteList, which names the `fromDate` to continue from
   */
  async *exportItems(
    params: ExportParams = {},
    { accept = ['complete'], ...options }: PagesOptions = {},
  ): AsyncGenerator<ShippingListItem, void, undefined> {
    const order = { PageNumber: 1, SortBy: 'CreatedDate', SortDirection: 'asc' } as const;
    const headers = { 'Cache-Control': 'no-cache', ...options.headers };
    /** What was handed over and may come again: the records of the last instant, and those without a date. */
    const seen = new Map<string, string | null>();
    for (let from: string | undefined; ;) {
      const page = { ...params, ...order, PageSize: params.PageSize ?? 100, FromDate: from ?? params.FromDate };
      const { data, completeness, requestId } = await this.soundPage(page, accept, { ...options, headers });
      const { items, hasNextPage, totalCount } = data;
      const dates = items.flatMap(({ createdDate }) => createdDate ?? []);
      refuse(disorderIn(dates, from), requestId);
      for (const item of items) {
        if (seen.has(item.id)) continue;
        seen.set(item.id, item.createdDate);
        yield item;
      }
      // A list that changes between counting and reading shows fewer records than it counts; dropped ones are counted.
      if (!hasNextPage && (items.length >= totalCount || completeness.level !== 'complete')) return;
      const last = dates.at(-1);
      if (last === undefined || last === from) {
        refuse(hasNextPage ? undefined : `shows ${items.length} of ${totalCount} records, and no next page`, requestId);
        throw new CrowdedInstant(last, items.length, requestId);
      }
      for (const [id, createdDate] of seen) if (createdDate !== null && createdDate !== last) seen.delete(id);
      from = last;
    }
  }

  /** A page that is as complete as accepted, with paging values that can be followed. */
  private async soundPage(
    params: GetShippingPagedListParams & { PageNumber: number },
    accept: readonly CompletenessLevel[],
    options: UnconditionalOptions,
  ): Promise<Answer<PagedShippingList>> {
    const answer = await this.getShippingPagedList(params, options);
    const { completeness, data, requestId } = answer;
    if (completeness.level === 'unavailable' || !accept.includes(completeness.level)) {
      throw new IncompleteList(completeness, params, requestId);
    }
    refuse(contradictionIn(data, params.PageNumber), requestId);
    return answer;
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

/** @throws UnexpectedAnswer where something speaks against a page */
function refuse(complaint: string | undefined, requestId: string | undefined): void {
  if (complaint === undefined) return;
  throw new UnexpectedAnswer(`The answer ${complaint}`, { status: 200, requestId, retryAfterMs: undefined });
}
