import { DEFAULT_MAX_LIMIT, DEFAULT_MAX_PAGE_SIZE } from '../../common/bounds';

/** Rules of `PageNumber`, with the message that the specification defines. */
export const PAGE_NUMBER = Object.freeze({
  min: 1,
  default: 1,
  message: 'Page number must be greater than 0',
});

/** Rules of `PageSize`, with the message that the specification defines; `MAX_PAGE_SIZE` changes `max`. */
export const PAGE_SIZE = Object.freeze({
  min: 1,
  max: DEFAULT_MAX_PAGE_SIZE,
  default: 10,
  message: pageSizeMessage(DEFAULT_MAX_PAGE_SIZE),
});

/** Records of the unpaged list without `Limit`, by the specification. */
export const DEFAULT_LIMIT = 100;

/** The description of `Limit`; `MAX_LIMIT` changes `max`. */
export function limitDescription(max = DEFAULT_MAX_LIMIT): string {
  const absent = max < DEFAULT_LIMIT ? max : 'the external system decides (100 by default)';
  return `How many results, ${max} at most; a larger value counts as that. Left out: ${absent}. A list with as many has \`limit\` in \`Shipping-Completeness\`.`;
}

/** The message of the specification with another largest page. */
export function pageSizeMessage(max: number): string {
  return `Page size must be between 1 and ${max}`;
}
