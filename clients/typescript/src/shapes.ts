import type { PagedShippingList } from './generated/types.gen.ts';

/** Whether a body is a record, as far as this client relies on it. */
export function isRecord(body: unknown): boolean {
  return typeof (body as { id?: unknown } | null | undefined)?.id === 'string';
}

/** Whether a body is a page, as far as this client relies on it. */
export function isPage(body: unknown): boolean {
  const { items, hasNextPage, pageNumber, totalPages } = (body ?? {}) as Partial<PagedShippingList>;
  return (
    Array.isArray(items) &&
    typeof hasNextPage === 'boolean' &&
    Number.isInteger(pageNumber) &&
    Number.isInteger(totalPages)
  );
}

/**
 * Tells what speaks against going by the figures of a page: to follow them would end too early, or never.
 *
 * @returns nothing where they are sound
 */
export function contradictionIn(page: PagedShippingList, askedFor: number): string | undefined {
  const { items, hasNextPage, pageNumber, totalPages } = page;
  if (pageNumber !== askedFor) return `shows page ${pageNumber} where page ${askedFor} was asked for`;
  if (!hasNextPage && pageNumber < totalPages) return `is page ${pageNumber} of ${totalPages}, and has no next page`;
  if (hasNextPage && items.length === 0 && pageNumber >= totalPages)
    return 'is beyond the last page, and has a next one';
  return undefined;
}
