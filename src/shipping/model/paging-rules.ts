/** Rules of `PageNumber`, with the message that the specification defines. */
export const PAGE_NUMBER = Object.freeze({
  min: 1,
  default: 1,
  message: 'Page number must be greater than 0',
});

/** Rules of `PageSize`, with the message that the specification defines. */
export const PAGE_SIZE = Object.freeze({
  min: 1,
  max: 100,
  default: 10,
  message: 'Page size must be between 1 and 100',
});
