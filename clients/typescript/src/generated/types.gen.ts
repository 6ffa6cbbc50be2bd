// Generated from openapi.json by `npm run generate`; not to be edited.

export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};

/**
 * Why the external system gave no usable response
 */
export type IncompletenessReason = 'upstream-timeout' | 'upstream-unreachable' | 'upstream-error' | 'bad-reply' | 'circuit-open' | 'saturated' | 'internal';

export type ParameterFault = {
    /**
     * Name of the parameter; an unknown one as it was sent, cut to 64 characters
     */
    parameter: string;
    /**
     * What is wrong with it; the text continues after its name
     */
    message: string;
};

export type Problem = {
    /**
     * Where it is explained: the path of the page of problems, `#` and the `code`
     */
    type: string;
    /**
     * The reason phrase of the status
     */
    title: string;
    /**
     * The status of the response
     */
    status: number;
    /**
     * What happened, for people
     */
    detail: string;
    /**
     * Path of the request
     */
    instance: string;
    /**
     * Stable name of the problem, for programs; codes may be added
     */
    code: string;
    /**
     * The value of `X-Request-Id`
     */
    requestId: string;
    /**
     * Why the external system gave no usable response
     */
    reason?: IncompletenessReason;
    /**
     * The invalid parameters
     */
    errors?: Array<ParameterFault>;
};

/**
 * The status of a shipment; `Unknown` for any other word of the external system, or none.
 */
export type ShippingStatus = 'Created' | 'InTransit' | 'Delivered' | 'Cancelled' | 'Unknown';

export type ShippingItem = {
    /**
     * Item identifier
     */
    id: string | null;
    /**
     * Stock keeping unit
     */
    sku: string | null;
    /**
     * What the item is
     */
    description: string | null;
    /**
     * How many; a fraction where goods are sold by weight or length
     */
    quantity: number | null;
    /**
     * Weight of one piece, in the unit of the external system
     */
    weight: number | null;
};

export type ShippingDetail = {
    /**
     * Record identifier
     */
    id: string;
    /**
     * Identifier of the related order
     */
    orderId: string | null;
    /**
     * Where the shipping goes
     */
    shippingAddress: string | null;
    /**
     * Tracking number of the carrier
     */
    trackingNumber: string | null;
    /**
     * Shipping status; `Unknown` for any other or absent text of the external system
     */
    status: ShippingStatus;
    /**
     * The text name of the status
     */
    statusDescription: ShippingStatus;
    /**
     * Total weight, in the unit of the external system
     */
    totalWeight: number | null;
    /**
     * When the record was created, ISO 8601 UTC with milliseconds
     */
    createdDate: string | null;
    /**
     * Who created the record
     */
    createdBy: string | null;
    /**
     * True when the record is not soft-deleted
     */
    isActive: boolean;
    /**
     * When the record was last modified, ISO 8601 UTC with milliseconds
     */
    modifiedDate: string | null;
    /**
     * Who last modified the record
     */
    modifiedBy: string | null;
    /**
     * The shipped items
     */
    shippingItems: Array<ShippingItem>;
};

export type ShippingLookupItem = {
    /**
     * Record identifier
     */
    id: string;
    /**
     * Identifier of the related order
     */
    orderId: string | null;
    /**
     * Where the shipping goes
     */
    shippingAddress: string | null;
    /**
     * Tracking number of the carrier
     */
    trackingNumber: string | null;
    /**
     * Shipping status; `Unknown` for any other or absent text of the external system
     */
    status: ShippingStatus;
    /**
     * The text name of the status
     */
    statusDescription: ShippingStatus;
    /**
     * Total weight, in the unit of the external system
     */
    totalWeight: number | null;
    /**
     * When the record was created, ISO 8601 UTC with milliseconds
     */
    createdDate: string | null;
    /**
     * True when the record is not soft-deleted
     */
    isActive: boolean;
};

export type ShippingListItem = {
    /**
     * Record identifier
     */
    id: string;
    /**
     * Identifier of the related order
     */
    orderId: string | null;
    /**
     * Where the shipping goes
     */
    shippingAddress: string | null;
    /**
     * Tracking number of the carrier
     */
    trackingNumber: string | null;
    /**
     * Shipping status; `Unknown` for any other or absent text of the external system
     */
    status: ShippingStatus;
    /**
     * The text name of the status
     */
    statusDescription: ShippingStatus;
    /**
     * Total weight, in the unit of the external system
     */
    totalWeight: number | null;
    /**
     * When the record was created, ISO 8601 UTC with milliseconds
     */
    createdDate: string | null;
    /**
     * Who created the record
     */
    createdBy: string | null;
    /**
     * True when the record is not soft-deleted
     */
    isActive: boolean;
};

export type PagedShippingList = {
    /**
     * The records of this page
     */
    items: Array<ShippingListItem>;
    /**
     * Records that match, on all pages together
     */
    totalCount: number;
    /**
     * Which page this is
     */
    pageNumber: number;
    /**
     * Records per page
     */
    pageSize: number;
    /**
     * How many pages there are
     */
    totalPages: number;
    /**
     * Whether there is a page before this one
     */
    hasPreviousPage: boolean;
    /**
     * Whether there is a page after this one
     */
    hasNextPage: boolean;
};

export type GetShippingSingleData = {
    body?: never;
    headers?: {
        /**
         * `handling=strict`: 502, 503 or 504 where the external system fails, and 400 for parameters without effect (RFC 7240).
         */
        Prefer?: string;
        /**
         * The `ETag` of an earlier response: 304 where it has not changed.
         */
        'If-None-Match'?: string;
        /**
         * Id of this request: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other, or none: a new one.
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Shipping identifier, as the external system writes it
         */
        Id?: string;
        /**
         * Identifier of the related order; exact match. Up to 64 characters.
         */
        OrderId?: string;
        /**
         * Tracking number of the carrier; exact match. Up to 64 characters.
         */
        TrackingNumber?: string;
        /**
         * Status
         *
         * Shipping status; exact match. The name counts ignoring case.
         */
        Status?: ShippingStatus;
        /**
         * Created on or after; a date means its beginning. ISO 8601, a date or a date and time; without a zone it is UTC. In a URL, the `+` of a zone is `%2B`.
         */
        FromDate?: string;
        /**
         * Created on or before: `2026-07-31` covers that day whole, `2026-07-31T00:00:00Z` misses it. Not before `FromDate`. ISO 8601, a date or a date and time; without a zone it is UTC. In a URL, the `+` of a zone is `%2B`.
         */
        ToDate?: string;
    };
    url: '/api/Shipping/GetShippingSingle';
};

export type GetShippingSingleErrors = {
    /**
     * A parameter is invalid, repeated or missing; `errors` lists each.
     */
    400: Problem;
    /**
     * No record matches.
     */
    404: Problem;
    /**
     * The external system failed.
     */
    500: Problem;
    /**
     * Any other problem; its `type` leads to its explanation.
     */
    default: Problem;
};

export type GetShippingSingleError = GetShippingSingleErrors[keyof GetShippingSingleErrors];

export type GetShippingSingleResponses = {
    /**
     * The record.
     */
    200: ShippingDetail;
};

export type GetShippingSingleResponse = GetShippingSingleResponses[keyof GetShippingSingleResponses];

export type GetShippingInfoByIdData = {
    body?: never;
    headers?: {
        /**
         * `handling=strict`: 502, 503 or 504 where the external system fails, and 400 for parameters without effect (RFC 7240).
         */
        Prefer?: string;
        /**
         * The `ETag` of an earlier response: 304 where it has not changed.
         */
        'If-None-Match'?: string;
        /**
         * Id of this request: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other, or none: a new one.
         */
        'X-Request-Id'?: string;
    };
    path: {
        /**
         * Shipping identifier, as the external system writes it
         */
        id: string;
    };
    query?: never;
    url: '/api/Shipping/GetShippingInfoById/{id}';
};

export type GetShippingInfoByIdErrors = {
    /**
     * A parameter is invalid, repeated or missing; `errors` lists each.
     */
    400: Problem;
    /**
     * No record matches.
     */
    404: Problem;
    /**
     * The external system failed.
     */
    500: Problem;
    /**
     * Any other problem; its `type` leads to its explanation.
     */
    default: Problem;
};

export type GetShippingInfoByIdError = GetShippingInfoByIdErrors[keyof GetShippingInfoByIdErrors];

export type GetShippingInfoByIdResponses = {
    /**
     * The record.
     */
    200: ShippingDetail;
};

export type GetShippingInfoByIdResponse = GetShippingInfoByIdResponses[keyof GetShippingInfoByIdResponses];

export type GetShippingDetailsData = {
    body?: never;
    headers?: {
        /**
         * `handling=strict`: 502, 503 or 504 where the external system fails, and 400 for parameters without effect (RFC 7240).
         */
        Prefer?: string;
        /**
         * The `ETag` of an earlier response: 304 where it has not changed.
         */
        'If-None-Match'?: string;
        /**
         * Id of this request: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other, or none: a new one.
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Text to find in shipping addresses, tracking numbers and, in the external system's extended variant, order ids. Up to 200 characters.
         */
        SearchTerm?: string;
        /**
         * Identifier of the related order; exact match. Up to 64 characters.
         */
        OrderId?: string;
        /**
         * Status
         *
         * Shipping status; exact match. The name counts ignoring case.
         */
        Status?: ShippingStatus;
        /**
         * Created on or after; a date means its beginning. ISO 8601, a date or a date and time; without a zone it is UTC. In a URL, the `+` of a zone is `%2B`.
         */
        FromDate?: string;
        /**
         * Created on or before: `2026-07-31` covers that day whole, `2026-07-31T00:00:00Z` misses it. Not before `FromDate`. ISO 8601, a date or a date and time; without a zone it is UTC. In a URL, the `+` of a zone is `%2B`.
         */
        ToDate?: string;
        /**
         * How many results, 10000 at most; a larger value counts as that. Left out: the external system decides (100 by default). A list with as many has `limit` in `Shipping-Completeness`.
         */
        Limit?: number;
    };
    url: '/api/Shipping/GetShippingDetails';
};

export type GetShippingDetailsErrors = {
    /**
     * A parameter is invalid, repeated or missing; `errors` lists each.
     */
    400: Problem;
    /**
     * Any other problem; its `type` leads to its explanation.
     */
    default: Problem;
};

export type GetShippingDetailsError = GetShippingDetailsErrors[keyof GetShippingDetailsErrors];

export type GetShippingDetailsResponses = {
    /**
     * The matching records, possibly none.
     */
    200: Array<ShippingLookupItem>;
};

export type GetShippingDetailsResponse = GetShippingDetailsResponses[keyof GetShippingDetailsResponses];

export type GetShippingPagedListData = {
    body?: never;
    headers?: {
        /**
         * `handling=strict`: 502, 503 or 504 where the external system fails, and 400 for parameters without effect (RFC 7240).
         */
        Prefer?: string;
        /**
         * The `ETag` of an earlier response: 304 where it has not changed.
         */
        'If-None-Match'?: string;
        /**
         * Id of this request: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other, or none: a new one.
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Text to find in shipping addresses, tracking numbers and, in the external system's extended variant, order ids. Up to 200 characters.
         */
        SearchTerm?: string;
        /**
         * Identifier of the related order; exact match. Up to 64 characters.
         */
        OrderId?: string;
        /**
         * Status
         *
         * Shipping status; exact match. The name counts ignoring case.
         */
        Status?: ShippingStatus;
        /**
         * Created on or after; a date means its beginning. ISO 8601, a date or a date and time; without a zone it is UTC. In a URL, the `+` of a zone is `%2B`.
         */
        FromDate?: string;
        /**
         * Created on or before: `2026-07-31` covers that day whole, `2026-07-31T00:00:00Z` misses it. Not before `FromDate`. ISO 8601, a date or a date and time; without a zone it is UTC. In a URL, the `+` of a zone is `%2B`.
         */
        ToDate?: string;
        /**
         * Which page, counted from 1. Anything else: 400 with the plain text `Page number must be greater than 0`.
         */
        PageNumber?: number;
        /**
         * Records per page. Anything else: 400 with the plain text `Page size must be between 1 and 100`.
         */
        PageSize?: number;
        /**
         * Sort key, ignoring case: CreatedDate, Status, TrackingNumber. Any other, or a blank one, sorts by CreatedDate descending; any other is named in `Shipping-Ignored-Parameters`.
         */
        SortBy?: string;
        /**
         * `asc`, ignoring case, sorts ascending; anything else descending. Any but `desc` is named in `Shipping-Ignored-Parameters`.
         */
        SortDirection?: string;
    };
    url: '/api/Shipping/GetShippingPagedList';
};

export type GetShippingPagedListErrors = {
    /**
     * A parameter is invalid, repeated or missing; `errors` lists each.
     */
    400: Problem;
    /**
     * Any other problem; its `type` leads to its explanation.
     */
    default: Problem;
};

export type GetShippingPagedListError = GetShippingPagedListErrors[keyof GetShippingPagedListErrors];

export type GetShippingPagedListResponses = {
    /**
     * The page.
     */
    200: PagedShippingList;
};

export type GetShippingPagedListResponse = GetShippingPagedListResponses[keyof GetShippingPagedListResponses];
