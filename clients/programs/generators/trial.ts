/** What a page has in common, whatever a generator calls its type. */
export interface Page {
  readonly totalCount: number;
  readonly items: readonly { readonly status: string; readonly createdDate: string | Date | null }[];
}

/** What each program does with the client that its generator has made; `tools/generators.ts` compiles and runs them. */
export interface Trial {
  /** The packages whose versions the table names. */
  readonly packages: readonly string[];
  /** Options that the client has to be made with, for the table. */
  readonly made?: string;
  /** How the program reads `Shipping-Completeness`, for the table. */
  readonly readsCompleteness: string;
  /** How the program reads the plain text of a 400, for the table. */
  readonly readsPlainText: string;
  /** A page of two shipments in transit. */
  page(url: string): Promise<Page | undefined>;
  /** The completeness of a list on which the external system fails. */
  completeness(url: string): Promise<string | null | undefined>;
  /** What a person is shown who asks for pages of no records. */
  plainText(url: string): Promise<unknown>;
  /** The status of the same failure, for a strict client. */
  strictStatus(url: string): Promise<number | undefined>;
}

export const IN_TRANSIT = { Status: 'InTransit', PageSize: 2, SortBy: 'TrackingNumber', SortDirection: 'asc' } as const;
export const FAILING = { SearchTerm: 'SIMULATE-NOT-FOUND' } as const;
export const EMPTY_PAGES = { PageSize: 0 } as const;
export const STRICT = { Prefer: 'handling=strict' } as const;
export const COMPLETENESS = 'Shipping-Completeness';
