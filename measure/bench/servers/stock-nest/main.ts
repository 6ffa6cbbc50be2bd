import 'reflect-metadata';
import { HttpModule } from '@nestjs/axios';
import { Controller, Get, Module, Param, Query, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { GetShippingInfoByIdDto, GetShippingPagedListDto } from './shipping.dto';
import {
  GetShippingInfoByIdHandler,
  GetShippingInfoByIdQuery,
  GetShippingPagedListHandler,
  GetShippingPagedListQuery,
} from './shipping.queries';

/**
 * The stack that the Nest CLI gives, with what the documentation of Nest shows for each task: Express, `ValidationPipe`,
 * CQRS, and `HttpService` with axios as it comes. It returns what the service returns while all goes well, and has no
 * logs of requests, metrics, deadlines or retries.
 */
@Controller('api/Shipping')
class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingPagedList')
  getShippingPagedList(@Query() params: GetShippingPagedListDto): Promise<object> {
    return this.queryBus.execute(new GetShippingPagedListQuery(params));
  }

  @Get('GetShippingInfoById/:id')
  getShippingInfoById(@Param() { id }: GetShippingInfoByIdDto): Promise<object> {
    return this.queryBus.execute(new GetShippingInfoByIdQuery(id));
  }
}

@Module({
  imports: [CqrsModule.forRoot(), HttpModule.register({ baseURL: process.env.EXTERNAL_SHIPPING_BASE_URL })],
  controllers: [ShippingController],
  providers: [GetShippingPagedListHandler, GetShippingInfoByIdHandler],
})
class AppModule {}

async function bootstrap(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  app.useGlobalPipes(new ValidationPipe({ transform: true }));
  await app.listen(Number(process.env.PORT), '127.0.0.1');
}

void bootstrap();
