import { asciiLowerCase } from '../../common/ascii';

export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export const SORT_DIRECTIONS = ['asc', 'desc'] as const;
export type SortDirection = (typeof SORT_DIRECTIONS)[number];

/** The sorting of a page, by the names of the external system. */
export interface PageSorting {
  readonly SortBy: SortKey;
  readonly SortDirection: SortDirection;
}

/**
 * Normalises the sorting of a request. Without a key the default key and the given direction apply; a blank or unknown key
 * sorts by CreatedDate descending. Case is ignored, and nothing is an error.
 */
export function normaliseSorting(sortBy: string | undefined, sortDirection: string | undefined): PageSorting {
  const direction = sortDirection?.toLowerCase() === 'asc' ? 'asc' : 'desc';
  if (sortBy === undefined) return { SortBy: 'CreatedDate', SortDirection: direction };
  const key = SORT_KEYS.find((candidate) => asciiLowerCase(candidate) === asciiLowerCase(sortBy));
  return key === undefined
    ? { SortBy: 'CreatedDate', SortDirection: 'desc' }
    : { SortBy: key, SortDirection: direction };
}
