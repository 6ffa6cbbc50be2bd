import type { ExternalPaths } from '../../../config/external-system.settings';
import type { Completeness } from '../../model/completeness';
import type { PagedShippingList } from '../../model/paged-shipping-list';
import type { ShippingDetail } from '../../model/shipping-detail';
import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import type { ShippingStatus } from '../../model/shipping-status';

/** A value of a parameter; `undefined` is left out. */
export type ParameterValue = string | number | Date | undefined;

/** Parameters of upstream requests, by the names of the specification. All values have passed validation. */
export interface UpstreamParameters {
  readonly Id?: string;
  readonly OrderId?: string;
  readonly TrackingNumber?: string;
  readonly SearchTerm?: string;
  readonly Status?: ShippingStatus;
  readonly FromDate?: Date;
  readonly ToDate?: Date;
  readonly Limit?: number;
  readonly PageNumber?: number;
  readonly PageSize?: number;
  readonly SortBy?: string;
  readonly SortDirection?: string;
  readonly [name: string]: ParameterValue;
}

/** One operation of the external system. */
export interface Operation {
  /** Its name in metrics, spans and the cache. */
  readonly name: string;
  /** Its path below the base URL in the standard protocol; `{id}` stands for {@link UpstreamRequest.id}. */
  readonly path: (paths: ExternalPaths) => string;
  /** Whether a cached value is a body of this operation, see `isModel` and `isListOf`. */
  readonly isBody: (value: unknown) => boolean;
}

/** What a protocol can return, by the name of its method; `undefined`: no record matches. */
export interface Results {
  readonly record: ShippingDetail | undefined;
  readonly list: ShippingLookupItem[];
  readonly page: PagedShippingList;
}

/** What a query requests from the external system, whatever the wire format. */
export interface UpstreamRequest<Result extends keyof Results = keyof Results> {
  readonly operation: Operation;
  /** The method of the protocol that executes the request. */
  readonly result: Result;
  /** The identifier of a lookup; has passed validation. */
  readonly id?: string;
  readonly parameters?: UpstreamParameters;
}

/** A mapped upstream response. */
export interface MappedBody<Body> {
  readonly body: Body;
  readonly completeness: Completeness;
}
