/** The largest integer that a parameter accepts (D4). */
export const MAX_INTEGER = 2_147_483_647;

/** The bounds, defaults and messages that the specification sets for paging. */
export const PAGE_NUMBER = { min: 1, max: MAX_INTEGER, default: 1, message: 'Page number must be greater than 0' };
export const PAGE_SIZE = { min: 1, max: 100, default: 10, message: 'Page size must be between 1 and 100' };

export const LIMIT = {
  min: 1,
  max: MAX_INTEGER,
  message: `must be an integer from 1 to ${MAX_INTEGER}, in plain decimal digits`,
};
export const DEFAULT_LIMIT = 100;
/** A larger `Limit` is accepted, and treated as this number (D31). */
export const MAX_LIMIT = 10_000;

export const MAX_IDENTIFIER_LENGTH = 256;
/** How the OpenAPI document describes an identifier. */
export const ID_TEXTS = { description: 'Shipping identifier, as the external system writes it', example: 'SHP-000001' };

export const MAX_SEARCH_TERM_LENGTH = 200;
/** The most characters of an order id or a tracking number (D7). */
export const MAX_REFERENCE_LENGTH = 64;

export const SORT_KEYS = ['CreatedDate', 'Status', 'TrackingNumber'] as const;

export interface Sorting {
  readonly SortBy: (typeof SORT_KEYS)[number];
  readonly SortDirection: 'asc' | 'desc';
}

/**
 * The sorting of a request without `SortBy` and `SortDirection`. It also replaces an unknown or blank `SortBy`,
 * whatever the direction is (D8).
 */
export const DEFAULT_SORTING: Sorting = { SortBy: 'CreatedDate', SortDirection: 'desc' };
