import { DEFAULT_MAX_RESPONSE_BYTES } from '../../common/bounds';
import { ANY_TEXT, SOME_TEXT } from '../../common/text-patterns';

/**
 * Schemas of the values of the external system. That system restricts nothing: a text may have any character, and only
 * the size of the whole response bounds it.
 */

export const EXTERNAL_TEXT = { type: String, pattern: ANY_TEXT, maxLength: DEFAULT_MAX_RESPONSE_BYTES } as const;

/** Records without a valid identifier are dropped. */
export const EXTERNAL_IDENTIFIER = { ...EXTERNAL_TEXT, pattern: SOME_TEXT, minLength: 1 } as const;

/** JSON parsing rounds larger integers, so that they count as unknown. */
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

/** A number of a page. */
export const PAGE_VALUE = { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER } as const;
