import { Module } from '@nestjs/common';
import { GatewayModule } from './gateway/gateway.module';
import { PIPELINE_MODULE } from './pipeline/pipeline.module';
import { GetShippingDetailsHandler } from './queries/get-shipping-details/get-shipping-details.handler';
import { GetShippingInfoByIdHandler } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.handler';
import { GetShippingPagedListHandler } from './queries/get-shipping-paged-list/get-shipping-paged-list.handler';
import { GetShippingSingleHandler } from './queries/get-shipping-single/get-shipping-single.handler';
import { IdentifierRule } from './queries/rules';
import { ShippingController } from './shipping.controller';

/** The queries; their handlers are listed here and nowhere else. */
@Module({
  imports: [PIPELINE_MODULE, GatewayModule],
  controllers: [ShippingController],
  providers: [
    IdentifierRule,
    GetShippingSingleHandler,
    GetShippingInfoByIdHandler,
    GetShippingDetailsHandler,
    GetShippingPagedListHandler,
  ],
})
export class ShippingModule {}
