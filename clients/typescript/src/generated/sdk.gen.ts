// Generated from openapi.json by `npm run client:generate`; not to be edited.

import { client } from './client.gen.ts';
import type { Client, Options as Options2, TDataShape } from './client/index.ts';
import type { GetLivenessData, GetLivenessErrors, GetLivenessResponses, GetReadinessData, GetReadinessErrors, GetReadinessResponses, GetShippingDetailsData, GetShippingDetailsErrors, GetShippingDetailsResponses, GetShippingInfoByIdData, GetShippingInfoByIdErrors, GetShippingInfoByIdResponses, GetShippingPagedListData, GetShippingPagedListErrors, GetShippingPagedListResponses, GetShippingSingleData, GetShippingSingleErrors, GetShippingSingleResponses } from './types.gen.ts';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: Record<string, unknown>;
};

/**
 * Whether the process is alive
 *
 * Responds as long as the process can. Where it does not respond, restart it.
 */
export const getLiveness = <ThrowOnError extends boolean = false>(options?: Options<GetLivenessData, ThrowOnError>) => (options?.client ?? client).get<GetLivenessResponses, GetLivenessErrors, ThrowOnError>({ url: '/health/live', ...options });

/**
 * Whether the service may receive traffic
 *
 * Not while starting or draining. The state of the external system is reported, and does not matter.
 */
export const getReadiness = <ThrowOnError extends boolean = false>(options?: Options<GetReadinessData, ThrowOnError>) => (options?.client ?? client).get<GetReadinessResponses, GetReadinessErrors, ThrowOnError>({ url: '/health/ready', ...options });

/**
 * One record by criteria
 *
 * Finds one record by Id, OrderId or TrackingNumber, at least one of them; Status, FromDate and ToDate narrow the search. All criteria must match. Where several records match, the newest one is returned, and of equally new ones that with the smallest Id.
 */
export const getShippingSingle = <ThrowOnError extends boolean = false>(options?: Options<GetShippingSingleData, ThrowOnError>) => (options?.client ?? client).get<GetShippingSingleResponses, GetShippingSingleErrors, ThrowOnError>({ url: '/api/Shipping/GetShippingSingle', ...options });

/**
 * One record by its identifier
 *
 * Finds the record with an identifier, soft-deleted or not.
 */
export const getShippingInfoById = <ThrowOnError extends boolean = false>(options: Options<GetShippingInfoByIdData, ThrowOnError>) => (options.client ?? client).get<GetShippingInfoByIdResponses, GetShippingInfoByIdErrors, ThrowOnError>({ url: '/api/Shipping/GetShippingInfoById/{id}', ...options });

/**
 * A simple list, for lookups and dropdowns
 *
 * Lists the matching records, without pages. Where the external system fails, the list is empty.
 */
export const getShippingDetails = <ThrowOnError extends boolean = false>(options?: Options<GetShippingDetailsData, ThrowOnError>) => (options?.client ?? client).get<GetShippingDetailsResponses, GetShippingDetailsErrors, ThrowOnError>({ url: '/api/Shipping/GetShippingDetails', ...options });

/**
 * A page of a list, for data grids
 *
 * Lists one page of the matching records. Where the external system fails, the page is empty.
 */
export const getShippingPagedList = <ThrowOnError extends boolean = false>(options?: Options<GetShippingPagedListData, ThrowOnError>) => (options?.client ?? client).get<GetShippingPagedListResponses, GetShippingPagedListErrors, ThrowOnError>({ url: '/api/Shipping/GetShippingPagedList', ...options });
