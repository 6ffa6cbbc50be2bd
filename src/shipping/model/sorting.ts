import { asciiLowerCase } from '../../common/text';

export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export type SortDirection = 'asc' | 'desc';

/** The sorting of a page, by the names of the external system. */
export interface PageSorting {
  readonly SortBy: SortKey;
  readonly SortDirection: SortDirection;
}

/**
 * Normalises the sorting of a request. Without a key the default key and the given direction apply; a blank or unknown key
 * sorts by CreatedDate descending. Case is ignored, and nothing is an error.
 */
export function normaliseSorting(sortBy = 'CreatedDate', sortDirection = 'desc'): PageSorting {
  const key = SORT_KEYS.find((name) => asciiLowerCase(name) === asciiLowerCase(sortBy));
  const isAscending = key !== undefined && asciiLowerCase(sortDirection) === 'asc';
  return { SortBy: key ?? 'CreatedDate', SortDirection: isAscending ? 'asc' : 'desc' };
}
