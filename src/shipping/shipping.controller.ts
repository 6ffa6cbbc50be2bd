import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiShippingOperation } from '../docs/api-operation.decorator';
import { DETAIL_EXAMPLE, EMPTY_PAGE_EXAMPLE, LOOKUP_EXAMPLE, PAGE_EXAMPLE } from '../docs/examples';
import { Context } from '../http/call-context.decorator';
import { describeCaching } from '../http/cache-headers';
import { describeCompleteness } from '../http/completeness-header';
import { OPERATIONS_PREFIX } from '../http/paths';
import { BadParametersException } from '../http/parameters/bad-parameters';
import { ParametersPipe } from '../http/parameters/parameters.pipe';
import type { CallContext } from './model/call-context';
import { PagedShippingList } from './model/paged-shipping-list';
import { ShippingDetail } from './model/shipping-detail';
import { ShippingLookupItem } from './model/shipping-lookup-item';
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
@ApiTags('Shipping')
@Controller(OPERATIONS_PREFIX)
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  @ApiShippingOperation({
    summary: 'One record by criteria',
    description:
      'Finds one record by any of Id, OrderId and TrackingNumber, at least one of them; Status, FromDate and ToDate narrow. ' +
      'All criteria must hold. Where several records match, the newest is the answer, and of equally new ones that with the smallest Id.',
    type: ShippingDetail,
    answer: 'The record.',
    examples: { record: { summary: '?OrderId=ORD-000001', value: DETAIL_EXAMPLE } },
    notFound: true,
  })
  getShippingSingle(
    @Query(ParametersPipe) params: GetShippingSingleParams,
    @Context() context: CallContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return this.ask(new GetShippingSingleQuery(params, context), reply);
  }

  @Get('GetShippingInfoById/:id')
  @ApiShippingOperation({
    summary: 'One record by its identifier',
    description: 'Finds the record of an identifier, soft-deleted or not.',
    type: ShippingDetail,
    answer: 'The record.',
    examples: { record: { summary: 'SHP-000001', value: DETAIL_EXAMPLE } },
    notFound: true,
  })
  getShippingInfoById(
    @Param(ParametersPipe) params: GetShippingInfoByIdParams,
    @Query(ParametersPipe) _: NoQueryParams,
    @Context() context: CallContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return this.ask(new GetShippingInfoByIdQuery(params, context), reply);
  }

  @Get('GetShippingInfoById')
  @ApiExcludeEndpoint()
  getShippingInfoByNoId(): never {
    throw new BadParametersException([{ parameter: 'Id', message: 'is missing' }]);
  }

  @Get('GetShippingDetails')
  @ApiShippingOperation({
    summary: 'A simple list, for lookups and dropdowns',
    description: 'Lists the records that match, without pages. Where the external system fails, the list is empty.',
    type: ShippingLookupItem,
    isArray: true,
    answer: 'The records that match, possibly none.',
    examples: {
      records: { summary: '?Limit=1', value: LOOKUP_EXAMPLE },
      unavailable: { summary: 'The external system failed', value: [] },
    },
  })
  getShippingDetails(
    @Query(ParametersPipe) params: GetShippingDetailsParams,
    @Context() context: CallContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingLookupItem[]> {
    return this.ask(new GetShippingDetailsQuery(params, context), reply);
  }

  @Get('GetShippingPagedList')
  @ApiShippingOperation({
    summary: 'A page of a list, for data grids',
    description: 'Shows one page of the records that match. Where the external system fails, the page is empty.',
    type: PagedShippingList,
    answer: 'The page.',
    examples: {
      page: { summary: '?PageSize=1', value: PAGE_EXAMPLE },
      unavailable: { summary: 'The external system failed', value: EMPTY_PAGE_EXAMPLE },
    },
    paged: true,
  })
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
    try {
      const { body, completeness } = await this.queryBus.execute(query);
      describeCompleteness(reply, completeness);
      return body;
    } finally {
      describeCaching(reply, query.context.cacheReport);
    }
  }
}
