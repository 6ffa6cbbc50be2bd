import { Controller, Get, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeEndpoint, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PathParameters, QueryParameters } from '../http/parameters/query-parameters.pipe';
import { InvalidParametersException } from '../http/problems/problem-definitions';
import { ShippingOperation } from './documentation/shipping-operation';
import { ApiOtherProblems } from '../openapi/problem-response';
import { Context } from './http/query-context.decorator';
import { respond, respondPage } from './http/respond';
import { IDENTIFIER } from './model/parameter-rules';
import type { QueryContext } from './model/query-context';
import { PagedShippingList, ShippingDetail, ShippingLookupItem } from './model/response-bodies';
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

/** The HTTP routes of the operations. Each sends a query to its handler through the bus. */
@ApiTags('Shipping')
@ApiOtherProblems()
@Controller({ path: '/api/Shipping', version: VERSION_NEUTRAL })
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  @ShippingOperation({
    summary: 'One record by criteria',
    description:
      'Finds one record by Id, OrderId or TrackingNumber, at least one of them; Status, FromDate and ToDate narrow the ' +
      'search. All criteria must match. Of several records the newest is returned, of equally new ones that with the ' +
      'smallest Id. Soft-deleted records are found, too.',
    result: 'lookup',
    find: '?OrderId=',
    invalid: {
      target: '?Status=Created',
      parameter: 'Id',
      message: 'is missing; give at least one of Id, OrderId, TrackingNumber',
    },
  })
  async getShippingSingle(
    @QueryParameters() params: GetShippingSingleParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return respond(reply, await this.queryBus.execute(new GetShippingSingleQuery(params, context)));
  }

  @Get('GetShippingInfoById/:id')
  @ShippingOperation({
    summary: 'One record by its identifier',
    description: 'Finds the record with an identifier, soft-deleted or not.',
    result: 'lookup',
    find: '',
    invalid: { target: '-', parameter: 'id', message: 'is not a valid shipping identifier' },
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
  @ShippingOperation({
    summary: 'A simple list, for lookups and dropdowns',
    description: 'Lists the matching records, without pages. Where the external system fails, the list is empty.',
    result: 'list',
    find: '?SearchTerm=',
    invalid: { target: '?OrderId=A&orderid=B', parameter: 'OrderId', message: 'is given more than once' },
  })
  async getShippingDetails(
    @QueryParameters() params: GetShippingDetailsParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingLookupItem[]> {
    return respond(reply, await this.queryBus.execute(new GetShippingDetailsQuery(params, context)));
  }

  @Get('GetShippingPagedList')
  @ShippingOperation({
    summary: 'A page of a list, for data grids',
    description: 'Lists one page of the matching records. Where the external system fails, the page is empty.',
    result: 'page',
    find: '?SearchTerm=',
    invalid: {
      target: '?Status=Lost',
      parameter: 'Status',
      message: 'must be one of Created, InTransit, Delivered, Cancelled, Unknown',
    },
  })
  async getShippingPagedList(
    @QueryParameters() params: GetShippingPagedListParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PagedShippingList> {
    return respondPage(reply, await this.queryBus.execute(new GetShippingPagedListQuery(params, context)));
  }
}
