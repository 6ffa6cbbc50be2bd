import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { QueryBus } from '@nestjs/cqrs';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint, ApiParam, ApiTags } from '@nestjs/swagger';
import { PathParameters, QueryParameters } from '../http/parameters/query-parameters.pipe';
import { InvalidParametersException } from '../http/problems/problem-definitions';
import { ReadyBody, SharedBody } from '../http/shared-body';
import { ApiOtherProblems } from '../openapi/problem-response';
import { ShippingOperation } from './documentation/shipping-operation';
import { ID_TEXTS } from './model/parameter-rules';
import { linkPages, type QueryContext, ShippingContext } from './model/query-context';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from './model/response-bodies';
import * as details from './queries/get-shipping-details/get-shipping-details.query';
import * as byId from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import * as paged from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import * as single from './queries/get-shipping-single/get-shipping-single.query';
import type { ShippingQuery } from './queries/shared/shipping-query';

/** The HTTP routes of the operations. Each sends a query to its handler through the bus. */
@ApiTags('Shipping')
@ApiOtherProblems()
@Controller({ path: '/api/Shipping', version: VERSION_NEUTRAL })
export class ShippingController {
  constructor(
    private readonly queryBus: QueryBus,
    private readonly application: ApplicationConfig,
  ) {}

  @Get('GetShippingSingle')
  @ShippingOperation('lookup', 'single')
  getShippingSingle(
    @QueryParameters() params: single.GetShippingSingleParams,
    @ShippingContext() context: QueryContext,
  ): Promise<ShippingDetail | ReadyBody> {
    return this.bodyOf(new single.GetShippingSingleQuery(params, context));
  }

  @Get('GetShippingInfoById/:id')
  @ShippingOperation('lookup', 'by-id')
  @ApiParam({ name: 'id', description: ID_TEXTS.description, schema: { type: 'string', example: ID_TEXTS.example } })
  getShippingInfoById(
    @PathParameters() params: byId.GetShippingInfoByIdParams,
    @ShippingContext() context: QueryContext,
  ): Promise<ShippingDetail | ReadyBody> {
    return this.bodyOf(new byId.GetShippingInfoByIdQuery(params, context));
  }

  @Get('GetShippingInfoById')
  // It has no 200: this says that it is a route of the service, which rejects other methods (D12).
  @RouteConfig({ reportsCompleteness: 'always' })
  @ApiExcludeEndpoint()
  getShippingInfoWithoutId(): never {
    throw new InvalidParametersException([{ parameter: 'id', message: 'is missing in the path' }]);
  }

  @Get('GetShippingDetails')
  @ShippingOperation('list', 'details')
  getShippingDetails(
    @QueryParameters() params: details.GetShippingDetailsParams,
    @ShippingContext() context: QueryContext,
  ): Promise<ShippingLookupItem[] | ReadyBody> {
    return this.bodyOf(new details.GetShippingDetailsQuery(params, context));
  }

  @Get('GetShippingPagedList')
  @ShippingOperation('page', 'paged')
  getShippingPagedList(
    @QueryParameters() params: paged.GetShippingPagedListParams,
    @ShippingContext() context: QueryContext,
  ): Promise<PagedShippingList | ReadyBody> {
    return this.bodyOf(new paged.GetShippingPagedListQuery(params, context));
  }

  /**
   * Executes a query. Where no interceptor of an application would see the body, its JSON text is returned: a cached
   * text is sent as it is stored (D75), and of a large list only the text is kept while it is compressed and sent
   * (D59).
   */
  private async bodyOf<Body>(query: ShippingQuery<unknown, Body>): Promise<Body | ReadyBody> {
    const { application, queryBus } = this;
    const { context } = query;
    const result = await queryBus.execute(query);
    // A team's handler may have another source than the gateway, which has reported nothing then.
    context.report?.add(result);
    linkPages(context, result);
    const interceptors = application.getGlobalInterceptors().length + application.getGlobalRequestInterceptors().length;
    if (interceptors > 0) return result.body;
    return new ReadyBody(result.unread?.body ?? SharedBody.of(JSON.stringify(result.body)));
  }
}
