export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;

export interface Sorting {
  readonly SortBy: (typeof SORT_KEYS)[number];
  readonly SortDirection: 'asc' | 'desc';
}

/** The sorting of a request that names none. It also replaces an unknown key, whatever the direction is (D8). */
export const DEFAULT_SORTING: Sorting = { SortBy: 'CreatedDate', SortDirection: 'desc' };
