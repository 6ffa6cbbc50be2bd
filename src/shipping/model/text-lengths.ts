/** Longest texts of parameters, in Unicode code points after trimming. */
export const MAX_SEARCH_TERM_LENGTH = 200;
export const MAX_REFERENCE_LENGTH = 64;
