import { asciiLowerCase } from '../../common/text';

export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export type SortDirection = 'asc' | 'desc';

export interface PageSorting {
  readonly SortBy: SortKey;
  readonly SortDirection: SortDirection;
}

/** Ignores case; an unknown key sorts by CreatedDate descending, whatever the direction. */
export function normaliseSorting(sortBy = 'CreatedDate', sortDirection = 'desc'): PageSorting {
  const key = SORT_KEYS.find((name) => asciiLowerCase(name) === asciiLowerCase(sortBy));
  const isAscending = key !== undefined && asciiLowerCase(sortDirection) === 'asc';
  return { SortBy: key ?? 'CreatedDate', SortDirection: isAscending ? 'asc' : 'desc' };
}
