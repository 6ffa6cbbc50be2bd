import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Context } from '../http/call-context.decorator';
import { describeCompleteness } from '../http/completeness-header';
import { OPERATIONS_PREFIX } from '../http/fastify-adapter';
import { BadParametersException } from '../http/parameters/bad-parameters';
import { ParametersPipe } from '../http/parameters/parameters.pipe';
import type { CallContext } from './model/call-context';
import type { PagedShippingList } from './model/paged-shipping-list';
import type { ShippingDetail } from './model/shipping-detail';
import type { ShippingLookupItem } from './model/shipping-lookup-item';
import { linkPages } from './page-links';
import { GetShippingDetailsParams } from './queries/get-shipping-details/get-shipping-details.params';
import { GetShippingDetailsQuery } from './queries/get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdParams } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.params';
import { GetShippingInfoByIdQuery } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListParams } from './queries/get-shipping-paged-list/get-shipping-paged-list.params';
import { GetShippingPagedListQuery } from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleParams } from './queries/get-shipping-single/get-shipping-single.params';
import { GetShippingSingleQuery } from './queries/get-shipping-single/get-shipping-single.query';
import { NoQueryParams } from './queries/no-query.params';
import type { ShippingQuery } from './queries/shipping-query';

/** The four operations: parameters in, query to the bus, answer out. */
@Controller(OPERATIONS_PREFIX)
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  getShippingSingle(
    @Query(ParametersPipe) params: GetShippingSingleParams,
    @Context() context: CallContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return this.ask(new GetShippingSingleQuery(params, context), reply);
  }

  @Get('GetShippingInfoById/:id')
  getShippingInfoById(
    @Param(ParametersPipe) params: GetShippingInfoByIdParams,
    @Query(ParametersPipe) _: NoQueryParams,
    @Context() context: CallContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return this.ask(new GetShippingInfoByIdQuery(params, context), reply);
  }

  @Get('GetShippingInfoById')
  getShippingInfoByNoId(): never {
    throw new BadParametersException([{ parameter: 'Id', message: 'is missing' }]);
  }

  @Get('GetShippingDetails')
  getShippingDetails(
    @Query(ParametersPipe) params: GetShippingDetailsParams,
    @Context() context: CallContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingLookupItem[]> {
    return this.ask(new GetShippingDetailsQuery(params, context), reply);
  }

  @Get('GetShippingPagedList')
  async getShippingPagedList(
    @Query(ParametersPipe) params: GetShippingPagedListParams,
    @Context() context: CallContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PagedShippingList> {
    const page = await this.ask(new GetShippingPagedListQuery(params, context), reply);
    linkPages(request, reply, page);
    return page;
  }

  private async ask<Body>(query: ShippingQuery<Body>, reply: FastifyReply): Promise<Body> {
    const { body, completeness } = await this.queryBus.execute(query);
    describeCompleteness(reply, completeness);
    return body;
  }
}
