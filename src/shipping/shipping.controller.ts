import { Controller, Get, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeEndpoint, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PathParameters, QueryParameters } from '../http/parameters/query-parameters.pipe';
import { InvalidParametersException } from '../http/problems/problem-definitions';
import { ApiOtherProblems } from '../openapi/problem-response';
import { ShippingOperation } from './documentation/shipping-operation';
import { ShippingContext } from './http/query-context.decorator';
import { respond, respondPage } from './http/respond';
import { IDENTIFIER } from './model/parameter-rules';
import type { QueryContext } from './model/query-context';
import { PagedShippingList, ShippingDetail, ShippingLookupItem } from './model/response-bodies';
import * as details from './queries/get-shipping-details/get-shipping-details.query';
import * as byId from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import * as paged from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import * as single from './queries/get-shipping-single/get-shipping-single.query';

/** The HTTP routes of the operations. Each sends a query to its handler through the bus. */
@ApiTags('Shipping')
@ApiOtherProblems()
@Controller({ path: '/api/Shipping', version: VERSION_NEUTRAL })
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  @ShippingOperation('lookup', 'single')
  async getShippingSingle(
    @QueryParameters() params: single.GetShippingSingleParams,
    @ShippingContext() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return respond(reply, await this.queryBus.execute(new single.GetShippingSingleQuery(params, context)));
  }

  @Get('GetShippingInfoById/:id')
  @ShippingOperation('lookup', 'byId')
  @ApiParam({ name: 'id', ...IDENTIFIER })
  async getShippingInfoById(
    @PathParameters() params: byId.GetShippingInfoByIdParams,
    @ShippingContext() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return respond(reply, await this.queryBus.execute(new byId.GetShippingInfoByIdQuery(params, context)));
  }

  @Get('GetShippingInfoById')
  @ApiExcludeEndpoint()
  getShippingInfoWithoutId(): never {
    throw new InvalidParametersException([{ parameter: 'id', message: 'is missing in the path' }]);
  }

  @Get('GetShippingDetails')
  @ShippingOperation('list', 'details')
  async getShippingDetails(
    @QueryParameters() params: details.GetShippingDetailsParams,
    @ShippingContext() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingLookupItem[]> {
    return respond(reply, await this.queryBus.execute(new details.GetShippingDetailsQuery(params, context)));
  }

  @Get('GetShippingPagedList')
  @ShippingOperation('page', 'paged')
  async getShippingPagedList(
    @QueryParameters() params: paged.GetShippingPagedListParams,
    @ShippingContext() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PagedShippingList> {
    return respondPage(reply, await this.queryBus.execute(new paged.GetShippingPagedListQuery(params, context)));
  }
}
