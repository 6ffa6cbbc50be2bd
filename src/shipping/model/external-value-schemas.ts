/**
 * Schemas of the values of the external system. That system restricts nothing: a text may have any character and length,
 * bounded only by the size of the whole response.
 */

export const EXTERNAL_TEXT = { type: String } as const;

/** Records without a valid identifier are dropped. */
export const EXTERNAL_IDENTIFIER = { type: String, minLength: 1 } as const;

/** A fraction or an integer; integers that JSON parsing would round are unknown. */
export const EXTERNAL_NUMBER = { type: Number, format: 'double' } as const;

/** ISO 8601 UTC with milliseconds, see `isoUtc`. */
export const UTC_TIME = { type: String, format: 'date-time' } as const;

/** A number of a page. */
export const PAGE_VALUE = { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER } as const;
