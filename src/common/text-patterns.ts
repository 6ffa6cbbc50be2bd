/** Patterns of texts in the OpenAPI document. */

/** Any character at all. */
export const ANY_TEXT = '^[\\s\\S]*$';

/** At least one character that is no white space. */
export const SOME_TEXT = '\\S';

/** Text of a client: anything but control characters. */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';
