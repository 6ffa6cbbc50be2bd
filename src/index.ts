// Applications that extend the service may import what this file exports (docs/extending.md); everything else may
// change without notice. An `export *` passes on whatever its module exports: an export that is added there becomes
// part of this contract, and docs/api-report.md shows it.

export { AuthenticationGuard } from './access/authentication.guard';
export { RateLimitGuard } from './access/rate-limit.guard';
export { AppModule, type ProtocolOptions } from './app.module';
export { configureApp, createAdapter } from './app.setup';
export type { Cause } from './common/cause';
export { Public } from './common/route-metadata';
export { loadEnvFile, readSettings, SETTINGS, SettingsError, type Settings } from './config/settings';
export { Parameter, type ParameterOptions } from './http/parameters/parameter-class';
export { ParametersPipe, PathParameters, QueryParameters } from './http/parameters/query-parameters.pipe';
export { InvalidParametersException, ProblemException } from './http/problems/problem-definitions';
export { UnsupportedOperationException } from './http/problems/problem-definitions';
export type { ProblemDefinition } from './http/problems/problem-definitions';
export { ProblemFilter } from './http/problems/problem.filter';
export type { Principal } from './http/requests/request-record';
export { ApiOtherProblems, ApiProblem } from './openapi/problem-response';
export { failedStatus, oversized, UpstreamFailure, wrongShape } from './resilience/upstream-failure';
export type { FailureReason } from './resilience/upstream-failure';
export { ExternalShippingGateway } from './shipping/gateway/external-shipping.gateway';
export { GatewayModule } from './shipping/gateway/gateway.module';
export { bodyOf, type StandardRecord, toLookupItems } from './shipping/gateway/protocol/response-mapping';
export { toPagedList, toShippingDetail } from './shipping/gateway/protocol/response-mapping';
export { collect, type CollectedPart, type CollectOptions } from './shipping/gateway/protocol/collect';
export { selectRecords, type RecordCriteria } from './shipping/gateway/protocol/select-records';
export * from './shipping/gateway/protocol/shipping-protocol';
export { StandardProtocol } from './shipping/gateway/protocol/standard-protocol';
export { isUpstreamObject, type UpstreamObject } from './shipping/gateway/protocol/value-reader';
// eslint-disable-next-line @typescript-eslint/no-deprecated -- a name of 2.0.0, which the next major version drops
export { Context, queryContextOf, ShippingContext } from './shipping/http/query-context.decorator';
export { DEFAULT_LIMIT, PAGE_NUMBER, PAGE_SIZE } from './shipping/model/parameter-rules';
export { jobContext, type QueryContext } from './shipping/model/query-context';
export { COMPLETE, NO_MATCH, PARTIAL, type Completeness, type QueryResult } from './shipping/model/query-result';
export * from './shipping/model/response-bodies';
export { linkPages, stateCompleteness } from './shipping/model/result-report';
export { foundOrThrow, ShippingNotFoundException } from './shipping/model/shipping-exceptions';
export { ShippingStatus, type StatusWord } from './shipping/model/shipping-status';
export { GetShippingDetailsParams } from './shipping/queries/get-shipping-details/get-shipping-details.query';
export { GetShippingDetailsQuery } from './shipping/queries/get-shipping-details/get-shipping-details.query';
export { GetShippingInfoByIdParams } from './shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
export { GetShippingInfoByIdQuery } from './shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
export { GetShippingPagedListParams } from './shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
export { GetShippingPagedListQuery } from './shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
export { GetShippingSingleParams } from './shipping/queries/get-shipping-single/get-shipping-single.query';
export { GetShippingSingleQuery } from './shipping/queries/get-shipping-single/get-shipping-single.query';
export { orEmpty } from './shipping/queries/shared/empty-on-failure';
export * from './shipping/queries/shared/parameter-decorators';
export { ShippingListQuery, ShippingQuery } from './shipping/queries/shared/shipping-query';
