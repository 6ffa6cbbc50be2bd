import type { CompletenessLevel } from './completeness.ts';
import { CrowdedInstant, IncompleteList, ListChanged, UnexpectedAnswer } from './errors.ts';
import type { PagedShippingList, ShippingListItem } from './generated/types.gen.ts';
import { Operations } from './operations.ts';
import type {
  ExportParams,
  GetShippingPagedListParams,
  ListedRecord,
  OperationOptions,
  PageOf,
  PagesOptions,
  ReadingOptions,
} from './options.ts';
import { PageSequence } from './page-sequence.ts';
import type { Answer } from './responses.ts';
import { contradictionIn, disorderIn, isPage } from './shapes.ts';

/**
 * The operations of the Shipping Query Service, and lists read page by page.
 *
 * Every method rejects with {@link ShippingProblem} where the service refuses or fails, with {@link UnexpectedAnswer}
 * where the response does not come from the service, with the reason of the signal where that was aborted, and with the
 * error of `fetch` where there was no response. After a 429 or 503 with `Retry-After`, the request is repeated, within
 * `maxRetries` and `maxRetryWaitMs`.
 */
export class ShippingClient extends Operations {
  /**
   * All pages from `PageNumber` (1 where it is left out) on, one call each, with all other parameters kept. It ends
   * after a page without a next one and in no other way: a page that is `unavailable`, or less complete than `accept`
   * allows, throws {@link IncompleteList}, and an error of a call is thrown as it is. By default it accepts `partial`
   * and `stale` pages, which say so in their `completeness`. Paging values that contradict each other or the records,
   * and a record that comes twice while `totalCount` stays, throw {@link UnexpectedAnswer}. `operation` names another
   * paged operation than `GetShippingPagedList`, with parameters and records of its own.
   */
  pages(params?: GetShippingPagedListParams, options?: PagesOptions): AsyncGenerator<Answer<PagedShippingList>, void>;
  pages<Item extends Pick<ListedRecord, 'id'>>(
    params: object,
    options: OperationOptions,
  ): AsyncGenerator<Answer<PageOf<Item>>, void>;
  async *pages(
    params: GetShippingPagedListParams = {},
    { accept = ['complete', 'partial', 'stale'], onProgress, ...options }: ReadingOptions = {},
  ): AsyncGenerator<Answer<PagedShippingList>, void> {
    const sequence = new PageSequence();
    let records = 0;
    for (let PageNumber = params.PageNumber ?? 1; ; PageNumber += 1) {
      const result = await this.validPage({ ...params, PageNumber }, accept, options);
      refuse(sequence.contradictionIn(result), result.requestId);
      records += result.data.items.length;
      onProgress?.({ records, total: result.data.totalCount });
      yield result;
      if (!result.data.hasNextPage) return;
    }
  }

  /**
   * All records of all pages, as {@link pages} reads them. A record cannot show how complete its page was, so that by
   * default only `complete` pages are accepted. For a list that stays as it is meanwhile: where `totalCount` changes
   * between two pages, it throws {@link ListChanged}. {@link exportItems} reads lists that change.
   */
  items(params?: GetShippingPagedListParams, options?: PagesOptions): AsyncGenerator<ShippingListItem, void>;
  items<Item extends Pick<ListedRecord, 'id'>>(params: object, options: OperationOptions): AsyncGenerator<Item, void>;
  async *items(
    params: GetShippingPagedListParams = {},
    { accept = ['complete'], ...options }: ReadingOptions = {},
  ): AsyncGenerator<ShippingListItem, void> {
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
   * date and is in the list all the time. By default only `complete` pages are accepted.
   *
   * @throws CrowdedInstant where as many records share a `createdDate` as a page holds
   * @throws IncompleteList, which names the `fromDate` to continue from
   */
  exportItems(params?: ExportParams, options?: PagesOptions): AsyncGenerator<ShippingListItem, void>;
  exportItems<Item extends ListedRecord>(params: object, options: OperationOptions): AsyncGenerator<Item, void>;
  async *exportItems(
    params: ExportParams = {},
    { accept = ['complete'], onProgress, ...options }: ReadingOptions = {},
  ): AsyncGenerator<ShippingListItem, void> {
    const order = { PageNumber: 1, SortBy: 'CreatedDate', SortDirection: 'asc' } as const;
    /**
     * The records that were yielded and may come again on the next page: those of the last instant, and those without a
     * date.
     */
    const seen = new Map<string, string | null>();
    let reached: string | undefined;
    let [records, total] = [0, 0];
    for (let from = params.FromDate; ;) {
      const page = { ...params, ...order, PageSize: params.PageSize ?? 100, FromDate: from };
      const { data, completeness, requestId } = await this.validPage(page, accept, options);
      const { items, hasNextPage, totalCount } = data;
      const dates = items.flatMap(({ createdDate }) => createdDate ?? []);
      refuse(disorderIn(dates, reached === undefined ? undefined : from), requestId);
      if (reached !== undefined && from === reached && !dates.includes(reached)) {
        // No record of the last instant came again. They were removed, or the external system excludes the instant of
        // FromDate: more records of that instant may exist, so that the page is read again from a millisecond before.
        from = millisecondBefore(reached);
        continue;
      }
      const fresh: ShippingListItem[] = [];
      for (const item of items) {
        const isPassed = item.createdDate !== null && item.createdDate < (reached ?? '');
        if (isPassed || seen.has(item.id)) continue;
        seen.set(item.id, item.createdDate);
        fresh.push(item);
      }
      records += fresh.length;
      total = Math.max(total, totalCount, records);
      onProgress?.({ records, total });
      yield* fresh;
      // The last page is the end only where it has all records that it counts. It may have fewer because the list
      // changed between counting and reading, or, where it is not complete, because malformed records were dropped.
      if (!hasNextPage && (items.length >= totalCount || completeness.level !== 'complete')) return;
      const last = dates.at(-1);
      if (last === undefined || last <= (reached ?? '')) {
        refuse(hasNextPage ? undefined : `shows ${items.length} of ${totalCount} records, and no next page`, requestId);
        throw new CrowdedInstant(last, items.length, requestId);
      }
      for (const [id, createdDate] of seen) if (createdDate !== null && createdDate !== last) seen.delete(id);
      from = reached = last;
    }
  }

  /**
   * Reads a page; throws where the page is less complete than accepted, or where its paging values contradict each
   * other.
   */
  private async validPage(
    params: GetShippingPagedListParams & { PageNumber: number },
    accept: readonly CompletenessLevel[],
    { operation = { url: '/api/Shipping/GetShippingPagedList' }, ...options }: ReadingOptions,
  ): Promise<Answer<PagedShippingList>> {
    const result = await this.send<PagedShippingList, typeof options>({ ...operation, query: params }, isPage, options);
    const { completeness, data, requestId } = result;
    if (completeness.level === 'unavailable' || !accept.includes(completeness.level)) {
      throw new IncompleteList(completeness, params, requestId);
    }
    refuse(contradictionIn(data, params.PageNumber), requestId);
    return result;
  }
}

function millisecondBefore(date: string): string {
  return new Date(Date.parse(date) - 1).toISOString();
}

/** @throws UnexpectedAnswer where there is a complaint about a page */
function refuse(complaint: string | undefined, requestId: string | undefined): void {
  if (complaint === undefined) return;
  throw new UnexpectedAnswer(`The response ${complaint}`, { status: 200, requestId, retryAfterMs: undefined });
}
