import { Controller, Get, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PathParameters, QueryParameters } from '../http/parameters/query-parameters.pipe';
import { InvalidParametersException } from '../http/problems/problem-definitions';
import { LIST_EXAMPLES, LOOKUP_EXAMPLES, PAGE_EXAMPLES } from './documentation/examples';
import { ApiShippingProblems } from './documentation/operation-docs';
import { PAGE_HEADERS, RESULT_HEADERS } from './documentation/header-docs';
import { ApiOtherProblems } from '../openapi/problem-response';
import { Context } from './http/query-context.decorator';
import { respond, respondPage } from './http/respond';
import type { QueryContext } from './model/query-context';
import { PagedShippingList, ShippingDetail, ShippingLookupItem } from './model/response-bodies';
import { IDENTIFIER } from './queries/shared/parameters';
import {
  GetShippingDetailsParams,
  GetShippingDetailsQuery,
} from './queries/get-shipping-details/get-shipping-details.query';
import {
  GetShippingInfoByIdParams,
  GetShippingInfoByIdQuery,
} from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import {
  GetShippingPagedListParams,
  GetShippingPagedListQuery,
} from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import {
  GetShippingSingleParams,
  GetShippingSingleQuery,
} from './queries/get-shipping-single/get-shipping-single.query';

/** The operations: each sends its query through the bus. */
@ApiTags('Shipping')
@ApiOtherProblems()
@Controller({ path: '/api/Shipping', version: VERSION_NEUTRAL })
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  @RouteConfig({ reportsCompleteness: true })
  @ApiOperation({
    summary: 'One record by criteria',
    description:
      'Finds one record by Id, OrderId or TrackingNumber, at least one of them; Status, FromDate and ToDate narrow the ' +
      'search. All criteria must match. Of several records the newest is returned, of equally new ones that with the ' +
      'smallest Id. Soft-deleted records are found, too.',
  })
  @ApiOkResponse({
    description: 'The record.',
    type: ShippingDetail,
    headers: RESULT_HEADERS,
    examples: LOOKUP_EXAMPLES,
  })
  @ApiShippingProblems('lookup', 'GetShippingSingle?OrderId=', {
    target: 'GetShippingSingle?Status=Created',
    parameter: 'Id',
    message: 'is missing; give at least one of Id, OrderId, TrackingNumber',
  })
  async getShippingSingle(
    @QueryParameters() params: GetShippingSingleParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return respond(reply, await this.queryBus.execute(new GetShippingSingleQuery(params, context)));
  }

  @Get('GetShippingInfoById/:id')
  @RouteConfig({ reportsCompleteness: true })
  @ApiOperation({
    summary: 'One record by its identifier',
    description: 'Finds the record with an identifier, soft-deleted or not.',
  })
  @ApiOkResponse({
    description: 'The record.',
    type: ShippingDetail,
    headers: RESULT_HEADERS,
    examples: LOOKUP_EXAMPLES,
  })
  @ApiShippingProblems('lookup', 'GetShippingInfoById/', {
    target: 'GetShippingInfoById/-',
    parameter: 'id',
    message: 'is not a valid shipping identifier',
  })
  @ApiParam({ name: 'id', ...IDENTIFIER })
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
  @RouteConfig({ reportsCompleteness: true })
  @ApiOperation({
    summary: 'A simple list, for lookups and dropdowns',
    description: 'Lists the matching records, without pages. Where the external system fails, the list is empty.',
  })
  @ApiOkResponse({
    description: 'The matching records, possibly none.',
    type: [ShippingLookupItem],
    headers: RESULT_HEADERS,
    examples: LIST_EXAMPLES,
  })
  @ApiShippingProblems('list', 'GetShippingDetails?SearchTerm=', {
    target: 'GetShippingDetails?OrderId=A&orderid=B',
    parameter: 'OrderId',
    message: 'is given more than once',
  })
  async getShippingDetails(
    @QueryParameters() params: GetShippingDetailsParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingLookupItem[]> {
    return respond(reply, await this.queryBus.execute(new GetShippingDetailsQuery(params, context)));
  }

  @Get('GetShippingPagedList')
  @RouteConfig({ reportsCompleteness: true })
  @ApiOperation({
    summary: 'A page of a list, for data grids',
    description: 'Lists one page of the matching records. Where the external system fails, the page is empty.',
  })
  @ApiOkResponse({
    description: 'The page.',
    type: PagedShippingList,
    headers: PAGE_HEADERS,
    examples: PAGE_EXAMPLES,
  })
  @ApiShippingProblems('page', 'GetShippingPagedList?SearchTerm=', {
    target: 'GetShippingPagedList?Status=Lost',
    parameter: 'Status',
    message: 'must be one of Created, InTransit, Delivered, Cancelled, Unknown',
  })
  async getShippingPagedList(
    @QueryParameters() params: GetShippingPagedListParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PagedShippingList> {
    return respondPage(reply, await this.queryBus.execute(new GetShippingPagedListQuery(params, context)));
  }
}
