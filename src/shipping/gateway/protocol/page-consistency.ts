import { asPartial, droppedOf, type QueryResult, withCause } from '../../model/query-result';
import type { PagedShippingList } from '../../model/response-bodies';

/**
 * Derives from the total those paging values that would hide records which the total promises: clients would not
 * request the pages of these records. Values that promise more than the total stay, because systems with large tables
 * stop counting. A total that is smaller than the number of records up to this page is wrong, and with it the number of
 * pages: the page is then partial (D14).
 */
export function consistentPage(result: QueryResult<PagedShippingList>): QueryResult<PagedShippingList> {
  const page = result.body;
  const { items, totalCount, pageNumber, pageSize } = page;
  let { completeness } = result;
  const pages = pageSize > 0 ? Math.ceil(totalCount / pageSize) : page.totalPages;
  const totalPages = Math.max(page.totalPages, pages);
  const hasPreviousPage = page.hasPreviousPage || (pageNumber > 1 && totalPages > 0);
  const hasNextPage = page.hasNextPage || pageNumber < pages;
  const faults: string[] = [];
  if (totalPages > page.totalPages) faults.push('TotalPages: fewer than the total needs');
  if (hasPreviousPage && !page.hasPreviousPage) faults.push('HasPreviousPage: false behind the first page');
  if (hasNextPage && !page.hasNextPage) faults.push('HasNextPage: false before the last page');
  if (page.hasNextPage && pageNumber >= totalPages) faults.push('HasNextPage: true on the last page');
  const before = (pageNumber - 1) * pageSize;
  const received = Math.min(items.length + droppedOf(completeness), pageSize);
  // Records may have been deleted meanwhile, so that the page is not partial for that.
  if (received < Math.min(pageSize, totalCount - before)) faults.push('Items: fewer than the total promises');
  if (faults.length > 0) completeness = withCause(completeness, faults.join(', '));
  if (received > 0 && before + received > totalCount) {
    completeness = asPartial(completeness, 'TotalCount: fewer than the records up to this page');
  }
  if (completeness === result.completeness) return result;
  return { ...result, body: { ...page, totalPages, hasPreviousPage, hasNextPage }, completeness };
}
