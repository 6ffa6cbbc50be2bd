export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export type SortDirection = 'asc' | 'desc';
