/** The largest integer a parameter may have: that of a signed 32-bit integer. */
export const MAX_INTEGER = 2_147_483_647;

/** Bytes of the request line and the headers together. */
export const MAX_HEADER_BYTES = 16_384;

/** The largest page unless `MAX_PAGE_SIZE` sets another. */
export const DEFAULT_MAX_PAGE_SIZE = 100;

/** The largest `Limit` that is sent unless `MAX_LIMIT` sets another. */
export const DEFAULT_MAX_LIMIT = 10_000;

/** Characters of an identifier, whatever its pattern. */
export const MAX_IDENTIFIER_LENGTH = 256;

/** Bytes of a decoded upstream response unless `EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES` sets another bound. */
export const DEFAULT_MAX_RESPONSE_BYTES = 5_242_880;
