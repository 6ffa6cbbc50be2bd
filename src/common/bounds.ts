/** Of a parameter. */
export const MAX_INTEGER = 2_147_483_647;

/** With the request line. */
export const MAX_HEADER_BYTES = 16_384;
