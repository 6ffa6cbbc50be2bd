import type { PagedShippingList } from './generated/types.gen.ts';

/** Whether a body is a record, as far as this client relies on it. */
export function isRecord(body: unknown): boolean {
  return typeof (body as { id?: unknown } | null | undefined)?.id === 'string';
}

/** Whether a body is a page, as far as this client relies on it. */
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
 * Tells what speaks against going by the figures of a page: to follow them would end too early, or never.
 *
 * @returns nothing where they are sound
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
 * Tells what speaks against reading on by date: records would be left out without notice.
 *
 * @param dates of the records on the page, without those that have none
 * @param from the `createdDate` that the page was asked for from
 * @returns nothing where they are in order
 */
export function disorderIn(dates: readonly string[], from: string | undefined): string | undefined {
  // ISO 8601 texts of the same form, in UTC, sort as their instants do.
  const isSorted = dates.every((date, index) => date >= (dates[index - 1] ?? from ?? ''));
  return isSorted ? undefined : 'is not sorted by CreatedDate, or ignores FromDate';
}
