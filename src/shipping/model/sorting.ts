import { asciiLowerCase } from '../../common/text';

export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

const SORT_DIRECTIONS = ['asc', 'desc'] as const;
export type SortDirection = (typeof SORT_DIRECTIONS)[number];

/** The sorting of a page, by the names of the external system. */
export interface PageSorting {
  readonly SortBy: SortKey;
  readonly SortDirection: SortDirection;
}

/** The key with a name, ignoring case. */
function sortKeyOf(text: string): SortKey | undefined {
  return SORT_KEYS.find((key) => asciiLowerCase(key) === asciiLowerCase(text));
}

/** The direction with a name, ignoring case. */
function sortDirectionOf(text: string): SortDirection | undefined {
  return SORT_DIRECTIONS.find((direction) => direction === asciiLowerCase(text));
}

/**
 * Normalises the sorting of a request. Without a key the default key and the given direction apply; a blank or unknown key
 * sorts by CreatedDate descending. Case is ignored, and nothing is an error.
 */
export function normaliseSorting(sortBy: string | undefined, sortDirection: string | undefined): PageSorting {
  const SortBy = sortKeyOf(sortBy ?? 'CreatedDate');
  if (SortBy === undefined) return { SortBy: 'CreatedDate', SortDirection: 'desc' };
  return { SortBy, SortDirection: sortDirectionOf(sortDirection ?? '') ?? 'desc' };
}
