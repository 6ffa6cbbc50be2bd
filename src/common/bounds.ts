/** The largest integer that a parameter accepts (D4). */
export const MAX_INTEGER = 2_147_483_647;

/** The largest size of the headers of a request, its request line included, in bytes; beyond it the response is 431. */
export const MAX_HEADER_BYTES = 16_384;
