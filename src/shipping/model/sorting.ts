export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;

export interface Sorting {
  readonly SortBy: (typeof SORT_KEYS)[number];
  readonly SortDirection: 'asc' | 'desc';
}

/** Also for unknown keys, whatever the direction. */
export const DEFAULT_SORTING: Sorting = { SortBy: 'CreatedDate', SortDirection: 'desc' };
