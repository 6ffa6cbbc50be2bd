import { Controller, Get, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidParametersException } from '../http/parameters/invalid-parameters.exception';
import { PathParameters, QueryParameters } from '../http/parameters/parameters.decorator';
import { linkPages } from './http/page-links';
import { Context } from './http/query-context.decorator';
import { sendResult } from './http/send-result';
import type { PagedShippingList } from './model/paged-shipping-list';
import type { QueryContext } from './model/query-context';
import { OPERATIONS_PREFIX } from './model/routes';
import type { ShippingDetail } from './model/shipping-detail';
import type { ShippingLookupItem } from './model/shipping-lookup-item';
import { GetShippingDetailsDocs } from './queries/get-shipping-details/get-shipping-details.docs';
import { GetShippingDetailsParams } from './queries/get-shipping-details/get-shipping-details.params';
import { GetShippingDetailsQuery } from './queries/get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdDocs } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.docs';
import { GetShippingInfoByIdParams } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.params';
import { GetShippingInfoByIdQuery } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListDocs } from './queries/get-shipping-paged-list/get-shipping-paged-list.docs';
import { GetShippingPagedListParams } from './queries/get-shipping-paged-list/get-shipping-paged-list.params';
import { GetShippingPagedListQuery } from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleDocs } from './queries/get-shipping-single/get-shipping-single.docs';
import { GetShippingSingleParams } from './queries/get-shipping-single/get-shipping-single.params';
import { GetShippingSingleQuery } from './queries/get-shipping-single/get-shipping-single.query';
import { NoQueryParams } from './queries/shared/no-query.params';

/** The four operations of the specification. A further query brings its own controller, in its folder. */
@ApiTags('Shipping')
@Controller(OPERATIONS_PREFIX)
export class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingSingle')
  @GetShippingSingleDocs()
  getShippingSingle(
    @QueryParameters() params: GetShippingSingleParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return this.queryBus.execute(new GetShippingSingleQuery(params, context)).then(sendResult(reply));
  }

  @Get('GetShippingInfoById/:id')
  @GetShippingInfoByIdDocs()
  getShippingInfoById(
    @PathParameters() params: GetShippingInfoByIdParams,
    @QueryParameters() _: NoQueryParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingDetail> {
    return this.queryBus.execute(new GetShippingInfoByIdQuery(params, context)).then(sendResult(reply));
  }

  @Get('GetShippingInfoById')
  @ApiExcludeEndpoint()
  getShippingInfoWithoutId(): never {
    throw new InvalidParametersException([{ parameter: 'id', message: 'is missing' }]);
  }

  @Get('GetShippingDetails')
  @GetShippingDetailsDocs()
  getShippingDetails(
    @QueryParameters() params: GetShippingDetailsParams,
    @Context() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingLookupItem[]> {
    return this.queryBus.execute(new GetShippingDetailsQuery(params, context)).then(sendResult(reply));
  }

  @Get('GetShippingPagedList')
  @GetShippingPagedListDocs()
  async getShippingPagedList(
    @QueryParameters() params: GetShippingPagedListParams,
    @Context() context: QueryContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PagedShippingList> {
    const result = await this.queryBus.execute(new GetShippingPagedListQuery(params, context));
    linkPages(request, reply, result.body);
    return sendResult(reply)(result);
  }
}
