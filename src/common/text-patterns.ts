/** Patterns of texts in the OpenAPI document. */

/** Text of a client: anything but control characters. */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';
