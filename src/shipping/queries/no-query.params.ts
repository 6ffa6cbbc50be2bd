/** The query string of an operation that knows no query parameters. */
export class NoQueryParams {}
