/** The largest integer that a parameter accepts (D4). */
export const MAX_INTEGER = 2_147_483_647;

/** The bytes that the headers of a request may have, its request line included. */
export const MAX_HEADER_BYTES = 16_384;
