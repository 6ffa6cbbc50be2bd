// Applications that extend the service may import what this file exports (docs/extending.md); everything else may
// change without notice. `index.api.md` shows what is added or removed here.

export { AuthenticationGuard } from './access/authentication.guard';
export { AppModule } from './app.module';
export { configureApp, createAdapter } from './app.setup';
export { Public } from './common/route-metadata';
export { loadEnvFile, readSettings, SETTINGS, type Settings } from './config/settings';
export { Parameter } from './http/parameters/parameter-class';
export { QueryParameters } from './http/parameters/query-parameters.pipe';
export { InvalidParametersException, ProblemException } from './http/problems/problem-definitions';
export { ProblemFilter } from './http/problems/problem.filter';
export type { Principal } from './http/requests/request-record';
export { ApiProblem } from './openapi/problem-response';
export { failedStatus, UpstreamFailure, wrongShape } from './resilience/upstream-failure';
export { ExternalShippingGateway } from './shipping/gateway/external-shipping.gateway';
export { GatewayModule } from './shipping/gateway/gateway.module';
export {
  type StandardRecord,
  toLookupItems,
  toPagedList,
  toShippingDetail,
} from './shipping/gateway/protocol/response-mapping';
export { collect, type CollectedPart, selectRecords } from './shipping/gateway/protocol/collected-lists';
export {
  type Send,
  ShippingProtocol,
  type UpstreamParameters,
  type UpstreamRequest,
  type UpstreamResponse,
  type UpstreamTarget,
} from './shipping/gateway/protocol/shipping-protocol';
export { bodyOf, StandardProtocol } from './shipping/gateway/protocol/standard-protocol';
export { isUpstreamObject } from './shipping/gateway/protocol/value-reader';
export { DEFAULT_LIMIT, PAGE_NUMBER, PAGE_SIZE } from './shipping/model/parameter-rules';
export {
  jobContext,
  linkPages,
  type QueryContext,
  ShippingContext,
  stateCompleteness,
} from './shipping/model/query-context';
export { COMPLETE, foundOrThrow, type QueryResult } from './shipping/model/query-result';
export {
  PagedShippingList,
  ShippingDetail,
  ShippingListItem,
  ShippingLookupItem,
} from './shipping/model/response-bodies';
export { ShippingStatus, type StatusWord } from './shipping/model/shipping-status';
export { GetShippingDetailsQuery } from './shipping/queries/get-shipping-details/get-shipping-details.query';
export { GetShippingInfoByIdQuery } from './shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
export { GetShippingPagedListQuery } from './shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
export { GetShippingSingleQuery } from './shipping/queries/get-shipping-single/get-shipping-single.query';
export {
  AtLeastOneOf,
  FromDate,
  Limit,
  OrderId,
  PageNumber,
  PageSize,
  RequiredText,
  SearchTerm,
  SortBy,
  SortDirection,
  Status,
  ToDate,
  TrackingNumber,
} from './shipping/queries/shared/parameter-decorators';
export { orEmpty, ShippingListQuery, ShippingQuery } from './shipping/queries/shared/shipping-query';
