import { asciiLowerCase } from './ascii';

export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export const SORT_DIRECTIONS = ['asc', 'desc'] as const;
export type SortDirection = (typeof SORT_DIRECTIONS)[number];

/** How a page is sorted, in the names that the external system knows. */
export interface PageSorting {
  readonly SortBy: SortKey;
  readonly SortDirection: SortDirection;
}

/**
 * Settles the sorting from what the caller gave. A key left out takes its default and honours the direction; one that
 * is blank or unrecognised means the newest first, whatever the direction says. Case never matters, nothing is an error.
 */
export function normaliseSorting(sortBy: string | undefined, sortDirection: string | undefined): PageSorting {
  const direction = sortDirection?.toLowerCase() === 'asc' ? 'asc' : 'desc';
  if (sortBy === undefined) return { SortBy: 'CreatedDate', SortDirection: direction };
  const key = SORT_KEYS.find((candidate) => asciiLowerCase(candidate) === asciiLowerCase(sortBy));
  return key === undefined
    ? { SortBy: 'CreatedDate', SortDirection: 'desc' }
    : { SortBy: key, SortDirection: direction };
}
