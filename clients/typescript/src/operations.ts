import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from './generated/types.gen.ts';
import type {
  CallOptions,
  GetShippingDetailsParams,
  GetShippingPagedListParams,
  GetShippingSingleParams,
  ResultFor,
  UnconditionalOptions,
} from './options.ts';
import type { Operation } from './request.ts';
import { RequestSender } from './request-sender.ts';
import { isPage, isRecord } from './shapes.ts';

/** The operations of the service, each with its method. */
export class Operations extends RequestSender {
  /**
   * One record by any of `Id`, `OrderId` and `TrackingNumber`; where several match, the newest.
   *
   * @throws ShippingProblem with the code `shipping-not-found` where no record matches
   */
  getShippingSingle<Options extends CallOptions = UnconditionalOptions>(
    params: GetShippingSingleParams,
    options?: Options,
  ): Promise<ResultFor<ShippingDetail, Options>> {
    return this.send({ url: '/api/Shipping/GetShippingSingle', query: params }, isRecord, options);
  }

  /**
   * One record by its identifier.
   *
   * @throws ShippingProblem with the code `shipping-not-found` where there is no such record
   * @throws TypeError where the identifier is `.` or `..`, by which the URL would be that of another path
   */
  getShippingInfoById<Options extends CallOptions = UnconditionalOptions>(
    id: string,
    options?: Options,
  ): Promise<ResultFor<ShippingDetail, Options>> {
    if (id === '.' || id === '..') return Promise.reject(new TypeError('The identifier is a dot segment'));
    return this.send({ url: '/api/Shipping/GetShippingInfoById/{id}', path: { id } }, isRecord, options);
  }

  /** A simple list without pages, for lookups and dropdowns. */
  getShippingDetails<Options extends CallOptions = UnconditionalOptions>(
    params: GetShippingDetailsParams = {},
    options?: Options,
  ): Promise<ResultFor<ShippingLookupItem[], Options>> {
    return this.send({ url: '/api/Shipping/GetShippingDetails', query: params }, Array.isArray, options);
  }

  /** One page of the list of shipments. */
  getShippingPagedList<Options extends CallOptions = UnconditionalOptions>(
    params: GetShippingPagedListParams = {},
    options?: Options,
  ): Promise<ResultFor<PagedShippingList, Options>> {
    return this.send({ url: '/api/Shipping/GetShippingPagedList', query: params }, isPage, options);
  }

  /**
   * Any other operation of the OpenAPI document, by its generated types: `query<GetShippingsByCarrierData,
   * PagedShippingList>(…)`.
   */
  query<Data extends Operation, Body extends object, Options extends CallOptions = UnconditionalOptions>(
    operation: Pick<Data, 'url' | 'path' | 'query'>,
    options?: Options,
  ): Promise<ResultFor<Body, Options>> {
    return this.send(operation, (body) => typeof body === 'object' && body !== null, options);
  }
}
