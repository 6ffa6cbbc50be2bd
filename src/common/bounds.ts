/** The largest integer of a parameter. */
export const MAX_INTEGER = 2_147_483_647;

/** The request line included. */
export const MAX_HEADER_BYTES = 16_384;
