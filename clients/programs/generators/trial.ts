/** What a page has in common, whatever a generator calls its type. */
export interface Page {
  readonly totalCount: number;
  readonly items: readonly {
    readonly status: string;
    readonly createdDate: string | null;
    readonly orderId: string | null;
  }[];
}

export interface Query {
  readonly SearchTerm?: string;
  readonly Status?: 'InTransit';
  readonly PageSize: number;
  readonly SortBy?: string;
  readonly SortDirection?: string;
}

/** What each program does with the client that its generator has made; `tools/clients.ts` compiles and runs them. */
export interface Trial {
  /** The page that a query describes. */
  page(url: string, query: Query): Promise<Page | undefined>;
  /** The completeness of a list on which the external system fails. */
  completeness(url: string): Promise<string | null | undefined>;
  /** What a person is shown who requests pages of no records. */
  plainText(url: string): Promise<unknown>;
  /** The status of the same failure, for a strict client. */
  strictStatus(url: string): Promise<number | undefined>;
}

/** The error of a call, where it is one of the client; otherwise `undefined`. */
export function errorOf<E>(call: Promise<unknown>, isOfClient: (error: unknown) => error is E): Promise<E | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => (isOfClient(error) ? error : undefined),
  );
}

export const FAILING = { SearchTerm: 'SIMULATE-NOT-FOUND' } as const;
export const EMPTY_PAGES = { PageSize: 0 } as const;
export const STRICT = { Prefer: 'handling=strict' } as const;
export const COMPLETENESS = 'Shipping-Completeness';
