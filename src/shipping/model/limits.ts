/** The largest integer a parameter may carry: that of a signed 32-bit one. */
export const MAX_INTEGER = 2_147_483_647;

export const PAGE_NUMBER = Object.freeze({
  min: 1,
  default: 1,
  message: 'Page number must be greater than 0',
});

export const PAGE_SIZE = Object.freeze({
  min: 1,
  max: 100,
  default: 10,
  message: 'Page size must be between 1 and 100',
});

/** Longest texts, in Unicode code points after trimming. */
export const MAX_SEARCH_TERM_LENGTH = 200;
export const MAX_REFERENCE_LENGTH = 64;

/**
 * Bytes of a decoded reply unless `EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES` says otherwise. The external system sets no
 * bounds of its own, so that no text of an answer has more characters and no list more entries.
 */
export const DEFAULT_MAX_REPLY_BYTES = 5_242_880;

/** Text of a caller: anything but control characters. */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';

/** Bytes of the request line and the headers together. */
export const MAX_HEADER_BYTES = 16_384;

/** What an identifier looks like unless `SHIPPING_ID_PATTERN` says otherwise. */
export const DEFAULT_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';
