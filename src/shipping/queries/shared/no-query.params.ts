/** Query parameters of an operation that has none. */
export class NoQueryParams {}
