import { Controller, Get, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeEndpoint, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PathParameters, QueryParameters } from '../http/parameters/parameters.decorator';
import { InvalidParametersException } from '../http/problems/problem-definitions';
import { Context } from './http/query-context.decorator';
import { respond, respondPage } from './http/respond';
import type { QueryContext } from './model/query-context';
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
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  @GetShippingSingleDocs()
  async getShippingSingle(
    @QueryParameters() params: GetShippingSingleParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return respond(reply, await this.queryBus.execute(new GetShippingSingleQuery(params, context)));
  }

  @Get('GetShippingInfoById/:id')
  @ApiParam({ name: 'id', type: String, description: 'Shipping identifier', example: 'SHP-000001' })
  @GetShippingInfoByIdDocs()
  async getShippingInfoById(
    @PathParameters() params: GetShippingInfoByIdParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return respond(reply, await this.queryBus.execute(new GetShippingInfoByIdQuery(params, context)));
  }

  @Get('GetShippingInfoById')
  @ApiExcludeEndpoint()
  getShippingInfoWithoutId(): never {
    throw new InvalidParametersException([{ parameter: 'id', message: 'is missing in the path' }]);
  }

  @Get('GetShippingDetails')
  @GetShippingDetailsDocs()
  async getShippingDetails(
    @QueryParameters() params: GetShippingDetailsParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingLookupItem[]> {
    return respond(reply, await this.queryBus.execute(new GetShippingDetailsQuery(params, context)));
  }

  @Get('GetShippingPagedList')
  @GetShippingPagedListDocs()
  async getShippingPagedList(
    @QueryParameters() params: GetShippingPagedListParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PagedShippingList> {
    return respondPage(reply, await this.queryBus.execute(new GetShippingPagedListQuery(params, context)));
  }
}
