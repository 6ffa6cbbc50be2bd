/** The largest integer a parameter may have: that of a signed 32-bit integer. */
export const MAX_INTEGER = 2_147_483_647;

/** Bytes of the request line and the headers together. */
export const MAX_HEADER_BYTES = 16_384;
