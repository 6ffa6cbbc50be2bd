import { Controller, Get, Param, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { NoQueryParametersGuard } from '../http/parameters/no-query-parameters.guard';
import { ParametersPipe } from '../http/parameters/parameters.pipe';
import { InvalidParametersException } from '../http/problems/problem';
import { Context } from './http/query-context.decorator';
import { QueryResultInterceptor } from './http/query-result.interceptor';
import type { QueryContext } from './model/query-context';
import type { QueryResult } from './model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from './model/response-bodies';
import { OPERATIONS_PREFIX } from './model/routes';
import { GetShippingDetailsDocs } from './queries/get-shipping-details/get-shipping-details.docs';
import {
  GetShippingDetailsParams,
  GetShippingDetailsQuery,
} from './queries/get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdDocs } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.docs';
import {
  GetShippingInfoByIdParams,
  GetShippingInfoByIdQuery,
} from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListDocs } from './queries/get-shipping-paged-list/get-shipping-paged-list.docs';
import {
  GetShippingPagedListParams,
  GetShippingPagedListQuery,
} from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleDocs } from './queries/get-shipping-single/get-shipping-single.docs';
import {
  GetShippingSingleParams,
  GetShippingSingleQuery,
} from './queries/get-shipping-single/get-shipping-single.query';

/** The operations: each sends its query through the bus. */
@ApiTags('Shipping')
@Controller(OPERATIONS_PREFIX)
@UseInterceptors(QueryResultInterceptor)
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  @GetShippingSingleDocs()
  getShippingSingle(
    @Query(ParametersPipe) params: GetShippingSingleParams,
    @Context() context: QueryContext,
  ): Promise<QueryResult<ShippingDetail>> {
    return this.queryBus.execute(new GetShippingSingleQuery(params, context));
  }

  @Get('GetShippingInfoById/:id')
  @UseGuards(NoQueryParametersGuard)
  @GetShippingInfoByIdDocs()
  getShippingInfoById(
    @Param(ParametersPipe) params: GetShippingInfoByIdParams,
    @Context() context: QueryContext,
  ): Promise<QueryResult<ShippingDetail>> {
    return this.queryBus.execute(new GetShippingInfoByIdQuery(params, context));
  }

  @Get('GetShippingInfoById')
  @ApiExcludeEndpoint()
  getShippingInfoWithoutId(): never {
    throw new InvalidParametersException([{ parameter: 'id', message: 'is missing in the path' }]);
  }

  @Get('GetShippingDetails')
  @GetShippingDetailsDocs()
  getShippingDetails(
    @Query(ParametersPipe) params: GetShippingDetailsParams,
    @Context() context: QueryContext,
  ): Promise<QueryResult<ShippingLookupItem[]>> {
    return this.queryBus.execute(new GetShippingDetailsQuery(params, context));
  }

  @Get('GetShippingPagedList')
  @GetShippingPagedListDocs()
  getShippingPagedList(
    @Query(ParametersPipe) params: GetShippingPagedListParams,
    @Context() context: QueryContext,
  ): Promise<QueryResult<PagedShippingList>> {
    return this.queryBus.execute(new GetShippingPagedListQuery(params, context));
  }
}
