import { MAX_INTEGER } from '../../common/bounds';

/** Rules of `PageNumber` and `PageSize`, with the messages that the specification defines. */
export const PAGE_NUMBER = { min: 1, max: MAX_INTEGER, default: 1, message: 'Page number must be greater than 0' };
export const PAGE_SIZE = { min: 1, max: 100, default: 10, message: 'Page size must be between 1 and 100' };

/** Records of the unpaged list without `Limit`, by the specification. */
export const DEFAULT_LIMIT = 100;

/** The most records that the unpaged list asks for; a larger `Limit` counts as that. */
export const MAX_LIMIT = 10_000;

/** Longest texts of parameters, in Unicode code points after trimming. */
export const MAX_SEARCH_TERM_LENGTH = 200;
export const MAX_REFERENCE_LENGTH = 64;

/** Characters of an identifier, whatever its pattern. */
export const MAX_IDENTIFIER_LENGTH = 256;
