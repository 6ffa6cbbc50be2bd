import { DEFAULT_MAX_REPLY_BYTES } from './limits';

/**
 * What values of the external system can be, as the document says it. That system restricts nothing: a text may hold any
 * character, and only the size of a whole reply bounds it.
 */

/** Any character at all. */
export const ANY_TEXT = '^[\\s\\S]*$';

/** Something but blanks. */
export const SOME_TEXT = '\\S';

export const EXTERNAL_TEXT = { type: String, pattern: ANY_TEXT, maxLength: DEFAULT_MAX_REPLY_BYTES } as const;

/** Records without a usable identifier are left out. */
export const EXTERNAL_IDENTIFIER = { ...EXTERNAL_TEXT, pattern: SOME_TEXT, minLength: 1 } as const;

/** Integers beyond are rounded by parsers, so that they count as unknown; fractions do not reach as far. */
export const EXTERNAL_NUMBER = {
  type: Number,
  format: 'double',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;

/** ISO 8601 UTC with milliseconds, see `isoUtc`. */
export const UTC_TIME = {
  type: String,
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  minLength: 24,
  maxLength: 24,
} as const;

/** A figure of a page; whether it is usable is the mapping's to decide. */
export const PAGE_FIGURE = { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER } as const;
