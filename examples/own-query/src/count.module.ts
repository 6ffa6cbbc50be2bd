import { Controller, Get, Module, Res } from '@nestjs/common';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { GatewayModule, type QueryContext, QueryParameters, respond, ShippingContext } from 'shipping-query-service';
import { CountShippingsHandler } from './count-shippings.handler.js';
import { CountShippingsParams, CountShippingsQuery, type ShippingCount } from './count-shippings.query.js';

@Controller('api/Shipping')
class CountController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('CountShippings')
  async countShippings(
    @QueryParameters() params: CountShippingsParams,
    @ShippingContext() context: QueryContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShippingCount> {
    return respond(reply, await this.queryBus.execute(new CountShippingsQuery(params, context)));
  }
}

@Module({ imports: [CqrsModule, GatewayModule], controllers: [CountController], providers: [CountShippingsHandler] })
export class CountModule {}
