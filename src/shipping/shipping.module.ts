import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GatewayModule } from './gateway/gateway.module';
import { GetShippingDetailsHandler } from './queries/get-shipping-details/get-shipping-details.handler';
import { GetShippingInfoByIdHandler } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.handler';
import { GetShippingPagedListHandler } from './queries/get-shipping-paged-list/get-shipping-paged-list.handler';
import { GetShippingSingleHandler } from './queries/get-shipping-single/get-shipping-single.handler';
import { ShippingController } from './shipping.controller';

/** Serves the operations: their routes, and the handlers of their queries. */
@Module({
  imports: [CqrsModule, GatewayModule],
  controllers: [ShippingController],
  providers: [
    GetShippingSingleHandler,
    GetShippingInfoByIdHandler,
    GetShippingDetailsHandler,
    GetShippingPagedListHandler,
  ],
})
export class ShippingModule {}
