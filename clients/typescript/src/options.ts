import type { Answer, NotModified } from './answers.ts';
import type { CompletenessLevel } from './completeness.ts';
import type { GetShippingDetailsData, GetShippingPagedListData, GetShippingSingleData } from './generated/types.gen.ts';
import type { Patience } from './retries.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; redirect: 'manual'; signal: AbortSignal | null },
) => Promise<Response>;

/** Request headers by name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** How a client is made. */
export interface ShippingClientOptions extends Partial<Patience> {
  /** Where the service is: the part of the address before `/api/Shipping`. In browsers it may be relative, even empty. */
  readonly baseUrl: string;
  /**
   * Headers of every request, credentials for one. A function is asked before each attempt, so that what it gives may
   * expire; where it fails, the call fails with its error.
   */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>);
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
  /** Whether calls fail, rather than being answered with an empty list, while the external system fails. Default: no. */
  readonly strict?: boolean;
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call, waits included; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides `strict` of the client. */
  readonly strict?: boolean | undefined;
  /** `ETag` of an earlier answer to the same question; the call may then come back with {@link NotModified}. */
  readonly ifNoneMatch?: string | undefined;
  /** Id to know this request by: 1 to 64 of `A-Z a-z 0-9 . _ -`. Otherwise the service makes one. */
  readonly requestId?: string | undefined;
  /** Further headers, `traceparent` for one; they go before those of the client. */
  readonly headers?: RequestHeaders | undefined;
}

/** How a call is made that never comes back with {@link NotModified}. */
export type UnconditionalOptions = Omit<CallOptions, 'ifNoneMatch'>;

/** How pages are read. */
export interface PagesOptions extends UnconditionalOptions {
  /** How complete a page must be. A page that is `unavailable` is never accepted. */
  readonly accept?: readonly Exclude<CompletenessLevel, 'unavailable'>[] | undefined;
}

/** What a call with these options comes back with. */
export type AnswerFor<Data, Options> = 'ifNoneMatch' extends keyof Options ? Answer<Data> | NotModified : Answer<Data>;

/** At least one of `Id`, `OrderId` and `TrackingNumber`. */
export type GetShippingSingleParams = NonNullable<GetShippingSingleData['query']> &
  ({ Id: string } | { OrderId: string } | { TrackingNumber: string });
export type GetShippingDetailsParams = NonNullable<GetShippingDetailsData['query']>;
/** The sort parameters accept other texts, too, which sort as the service documents. */
export type GetShippingPagedListParams = NonNullable<GetShippingPagedListData['query']> & {
  SortBy?: 'CreatedDate' | 'Status' | 'TrackingNumber' | (string & {});
  SortDirection?: 'asc' | 'desc' | (string & {});
};
/** What is exported. Page and order are those of the export. */
export type ExportParams = Omit<GetShippingPagedListParams, 'PageNumber' | 'SortBy' | 'SortDirection'>;
