import type { CompletenessLevel } from './completeness.ts';
import type {
  GetShippingDetailsData,
  GetShippingPagedListData,
  GetShippingSingleData,
  PagedShippingList,
} from './generated/types.gen.ts';
import type { Answer, NotModified } from './responses.ts';
import type { Patience } from './retries.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; redirect: 'manual'; signal: AbortSignal | null },
) => Promise<Response>;

/** Request headers by name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** Options of a {@link ShippingClient}. */
export interface ShippingClientOptions extends Partial<Patience> {
  /** The address of the service, without `/api/Shipping`. In browsers it may be relative to the page, even empty. */
  readonly baseUrl: string;
  /**
   * Headers of every request, such as credentials. A function is called before each attempt, so that it can return a
   * token that expires; where the function throws, the call rejects with its error.
   */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>);
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
  /**
   * Whether a call rejects where the external system fails, instead of returning an empty list, and where the service
   * does not know a parameter, instead of ignoring it. By default it does not.
   */
  readonly strict?: boolean;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, also while it waits before a retry; the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides `strict` of the client. */
  readonly strict?: boolean | undefined;
  /**
   * `ETag` of an earlier result of the same call. The call then returns {@link NotModified} where nothing has changed.
   */
  readonly ifNoneMatch?: string | undefined;
  /**
   * `X-Request-Id`, by which the request is found in logs: 1 to 64 of `A-Z a-z 0-9 . _ -`. By default the service makes
   * one.
   */
  readonly requestId?: string | undefined;
  /** Further headers, such as `traceparent`; they replace those of the client. */
  readonly headers?: RequestHeaders | undefined;
}

/** Options of a call that never returns {@link NotModified}. */
export type UnconditionalOptions = Omit<CallOptions, 'ifNoneMatch'>;

/** Options of {@link ShippingClient.pages}, `items` and `exportItems`. */
export interface PagesOptions extends UnconditionalOptions {
  /** The accepted completeness of a page. A page that is `unavailable` is never accepted. */
  readonly accept?: readonly Exclude<CompletenessLevel, 'unavailable'>[] | undefined;
  /** Called for each page that was read, before its records are handed over. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** How far a list or an export has come. */
export interface Progress {
  /** The records so far, with those of the newest page. */
  readonly records: number;
  /** All records: `totalCount` of the newest page, for an export that of the first one. */
  readonly total: number;
}

/** Another paged operation, such as one that a team has added: its path, and the `id` where the path has `{id}`. */
export interface PagedOperation {
  readonly url: string;
  readonly path?: { readonly id: string };
}

/** The fields of a record by which this client recognises it again, and continues an export. */
export interface ListedRecord {
  readonly id: string;
  readonly createdDate: string | null;
}

/** A page of another operation. */
export type PageOf<Item> = Omit<PagedShippingList, 'items'> & { items: Item[] };

/** Options for reading another paged operation. */
export interface OperationOptions extends PagesOptions {
  readonly operation: PagedOperation;
}

/** What {@link ShippingClient} reads pages with: the options without a name for the operation mean the service's own. */
export type ReadingOptions = PagesOptions & Partial<OperationOptions>;

/** What a call with these options returns. */
export type ResultFor<Data, Options> = 'ifNoneMatch' extends keyof Options ? Answer<Data> | NotModified : Answer<Data>;

/** At least one of `Id`, `OrderId` and `TrackingNumber`. */
export type GetShippingSingleParams = NonNullable<GetShippingSingleData['query']> &
  ({ Id: string } | { OrderId: string } | { TrackingNumber: string });
export type GetShippingDetailsParams = NonNullable<GetShippingDetailsData['query']>;
/** The sort parameters accept any text, because the service does (D8); editors suggest the documented ones. */
export type GetShippingPagedListParams = NonNullable<GetShippingPagedListData['query']> & {
  SortBy?: 'CreatedDate' | 'Status' | 'TrackingNumber' | (string & {});
  SortDirection?: 'asc' | 'desc' | (string & {});
};
/** Filters of an export, which chooses page and order itself. */
export type ExportParams = Omit<GetShippingPagedListParams, 'PageNumber' | 'SortBy' | 'SortDirection'>;
