/** Rules of `PageNumber`, with the message that the specification defines. */
export const PAGE_NUMBER = Object.freeze({
  min: 1,
  default: 1,
  message: 'Page number must be greater than 0',
});

/** Rules of `PageSize`; `MAX_PAGE_SIZE` is the largest. */
export const PAGE_SIZE = Object.freeze({ min: 1, default: 10 });

/** Records of the unpaged list without `Limit`, by the specification. */
export const DEFAULT_LIMIT = 100;

/** The description of `Limit`; `MAX_LIMIT` is the largest. */
export function limitDescription(max: number): string {
  const absent = max < DEFAULT_LIMIT ? max : 'the external system decides (100 by default)';
  return `How many results, ${max} at most; a larger value counts as that. Left out: ${absent}. A list with as many has \`limit\` in \`Shipping-Completeness\`.`;
}

/** The message of the specification, with the largest page. */
export function pageSizeMessage(max: number): string {
  return `Page size must be between 1 and ${max}`;
}

/** Longest texts of parameters, in Unicode code points after trimming. */
export const MAX_SEARCH_TERM_LENGTH = 200;
export const MAX_REFERENCE_LENGTH = 64;

/** Characters of an identifier, whatever its pattern. */
export const MAX_IDENTIFIER_LENGTH = 256;
