import type { PagedShippingList } from './generated/types.gen.ts';

/** Whether a body has an `id`, the only field of a looked-up record that this client itself reads. */
export function isRecord(body: unknown): boolean {
  return typeof (body as { id?: unknown } | null | undefined)?.id === 'string';
}

/** Whether a body has the fields of a page that this client reads. */
export function isPage(body: unknown): boolean {
  const { items, hasNextPage, pageNumber, pageSize, totalCount, totalPages } = (body ??
    {}) as Partial<PagedShippingList>;
  return (
    Array.isArray(items) &&
    typeof hasNextPage === 'boolean' &&
    Number.isInteger(pageNumber) &&
    Number.isInteger(pageSize) &&
    Number.isInteger(totalCount) &&
    Number.isInteger(totalPages)
  );
}

/**
 * Checks that the paging values of a page fit each other: otherwise reading page by page would end too early, or never.
 *
 * @returns what is wrong; `undefined` where nothing is
 */
export function contradictionIn(page: PagedShippingList, askedFor: number): string | undefined {
  const { items, hasNextPage, pageNumber, pageSize, totalCount, totalPages } = page;
  if (pageNumber !== askedFor) return `shows page ${pageNumber} where page ${askedFor} was asked for`;
  if (totalPages !== Math.ceil(totalCount / pageSize)) {
    return `has ${totalPages} pages of ${pageSize} for ${totalCount} records`;
  }
  if (!hasNextPage && pageNumber < totalPages) return `is page ${pageNumber} of ${totalPages}, and has no next page`;
  if (hasNextPage && pageNumber >= totalPages) return `is page ${pageNumber} of ${totalPages}, and has a next page`;
  if (items.length > pageSize) return `shows ${items.length} records on a page of ${pageSize}`;
  return undefined;
}

/**
 * Checks that a page is sorted by date: otherwise an export, which continues from the last date, would leave out
 * records.
 *
 * @param dates the `createdDate` of each record on the page that has one
 * @param from the earliest date that was requested
 * @returns what is wrong; `undefined` where nothing is
 */
export function disorderIn(dates: readonly string[], from: string | undefined): string | undefined {
  // ISO 8601 texts of the same form, in UTC, sort as their instants do.
  const isSorted = dates.every((date, index) => date >= (dates[index - 1] ?? from ?? ''));
  return isSorted ? undefined : 'is not sorted by CreatedDate, or ignores FromDate';
}
