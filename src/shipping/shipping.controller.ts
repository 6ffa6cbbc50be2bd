import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiShippingOperation } from '../docs/api-operation.decorator';
import {
  DETAIL_EXAMPLE,
  EMPTY_PAGE_EXAMPLE,
  LOOKUP_EXAMPLE,
  PAGE_EXAMPLE,
  PARTIAL_DETAIL_EXAMPLE,
  PARTIAL_LOOKUP_EXAMPLE,
  PARTIAL_PAGE_EXAMPLE,
} from '../docs/examples';
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

/** The operations: parameters in, query to the bus, answer out. */
@ApiTags('Shipping')
@Controller(OPERATIONS_PREFIX)
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  @ApiShippingOperation({
    query: GetShippingSingleQuery,
    summary: 'One record by criteria',
    description:
      'Finds one record by any of Id, OrderId and TrackingNumber, at least one of them; Status, FromDate and ToDate narrow. ' +
      'All criteria must hold. Where several records match, the newest is the answer, and of equally new ones that with the smallest Id.',
    type: ShippingDetail,
    answer: 'The record.',
    examples: {
      complete: { summary: '?OrderId=ORD-000001 (complete)', value: DETAIL_EXAMPLE },
      partial: { summary: '?OrderId=SIMULATE-ODD-RECORD (partial)', value: PARTIAL_DETAIL_EXAMPLE },
    },
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
    query: GetShippingInfoByIdQuery,
    summary: 'One record by its identifier',
    description: 'Finds the record of an identifier, soft-deleted or not.',
    type: ShippingDetail,
    answer: 'The record.',
    examples: {
      complete: { summary: 'SHP-000001 (complete)', value: DETAIL_EXAMPLE },
      partial: { summary: 'SIMULATE-ODD-RECORD (partial)', value: PARTIAL_DETAIL_EXAMPLE },
    },
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
    throw new BadParametersException([{ parameter: 'id', message: 'is missing' }]);
  }

  @Get('GetShippingDetails')
  @ApiShippingOperation({
    query: GetShippingDetailsQuery,
    summary: 'A simple list, for lookups and dropdowns',
    description: 'Lists the records that match, without pages. Where the external system fails, the list is empty.',
    type: ShippingLookupItem,
    isArray: true,
    answer: 'The records that match, possibly none.',
    examples: {
      complete: { summary: '?Limit=1 (complete)', value: LOOKUP_EXAMPLE },
      partial: { summary: '?SearchTerm=SIMULATE-ODD-RECORD (partial)', value: PARTIAL_LOOKUP_EXAMPLE },
      unavailable: { summary: '?SearchTerm=SIMULATE-500 (unavailable)', value: [] },
    },
    firstIdentifier: '/0/id',
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
    query: GetShippingPagedListQuery,
    summary: 'A page of a list, for data grids',
    description: 'Shows one page of the records that match. Where the external system fails, the page is empty.',
    type: PagedShippingList,
    answer: 'The page.',
    examples: {
      complete: { summary: '?PageSize=1 (complete)', value: PAGE_EXAMPLE },
      partial: { summary: '?SearchTerm=SIMULATE-ODD-RECORD (partial)', value: PARTIAL_PAGE_EXAMPLE },
      unavailable: { summary: '?SearchTerm=SIMULATE-500 (unavailable)', value: EMPTY_PAGE_EXAMPLE },
    },
    firstIdentifier: '/items/0/id',
    paged: true,
  })
  getShippingPagedList(
    @Query(ParametersPipe) params: GetShippingPagedListParams,
    @Context() context: CallContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PagedShippingList> {
    return this.ask(new GetShippingPagedListQuery(params, context), reply, (page) => {
      linkPages(request, reply, page);
    });
  }

  /** @param describe adds what the headers tell of the body */
  private ask<Body>(
    query: ShippingQuery<unknown, Body>,
    reply: FastifyReply,
    describe?: (body: Body) => void,
  ): Promise<Body> {
    const { context } = query;
    return this.queryBus.execute(query).then(
      ({ body, completeness }) => {
        describeCompleteness(reply, completeness);
        describeCaching(reply, context.cacheReport);
        describe?.(body);
        return body;
      },
      (error: unknown) => {
        describeCaching(reply, context.cacheReport);
        throw error;
      },
    );
  }
}
