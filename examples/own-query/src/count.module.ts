import { Controller, Get, Module } from '@nestjs/common';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { GatewayModule, type QueryContext, QueryParameters, ShippingContext } from 'shipping-query-service';
import { CountShippingsHandler } from './count-shippings.handler.js';
import { CountShippingsParams, CountShippingsQuery, type ShippingCount } from './count-shippings.query.js';

@Controller('api/Shipping')
class CountController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('CountShippings')
  async countShippings(
    @QueryParameters() params: CountShippingsParams,
    @ShippingContext() context: QueryContext,
  ): Promise<ShippingCount> {
    const { body } = await this.queryBus.execute(new CountShippingsQuery(params, context));
    return body;
  }
}

@Module({ imports: [CqrsModule, GatewayModule], controllers: [CountController], providers: [CountShippingsHandler] })
export class CountModule {}
