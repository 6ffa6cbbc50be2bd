import 'reflect-metadata';
import { Controller, Get, Module, Query, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule, type IQueryHandler, Query as CqrsQuery, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { type ExternalList, type ExternalPage, pagePath, toLookups, toPage } from './mapping';

/*
 * The plainest application of Nest that has the service's parts: the Fastify adapter, `ValidationPipe`, `CqrsModule`, and
 * handlers that return objects that they keep. Without keys, expiry, headers, logs and metrics, it shows what these cost
 * a hit of the service.
 */

class ShippingDto {
  @IsOptional() @IsString() SearchTerm?: string;
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) PageNumber?: number;
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(100) PageSize?: number;
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) Limit?: number;
}

class GetKeptQuery extends CqrsQuery<unknown> {
  constructor(
    readonly kept: 'page' | 'list',
    readonly params: ShippingDto,
  ) {
    super();
  }
}

const load = async (path: string): Promise<unknown> =>
  (await fetch(`${process.env.EXTERNAL_SHIPPING_BASE_URL}${path}`)).json();

@QueryHandler(GetKeptQuery)
class GetKeptHandler implements IQueryHandler<GetKeptQuery> {
  private readonly page = load(pagePath({})).then((page) => toPage(page as ExternalPage));
  private readonly list = load('/shippings/details?Limit=1000').then((list) => toLookups(list as ExternalList));

  execute({ kept }: GetKeptQuery): Promise<unknown> {
    return this[kept];
  }
}

@Controller('api/Shipping')
class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingPagedList')
  getShippingPagedList(@Query() params: ShippingDto): Promise<unknown> {
    return this.queryBus.execute(new GetKeptQuery('page', params));
  }

  @Get('GetShippingDetails')
  getShippingDetails(@Query() params: ShippingDto): Promise<unknown> {
    return this.queryBus.execute(new GetKeptQuery('list', params));
  }
}

@Module({ imports: [CqrsModule.forRoot()], controllers: [ShippingController], providers: [GetKeptHandler] })
class AppModule {}

async function bootstrap(): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
    logger: ['error', 'warn'],
  });
  app.useGlobalPipes(new ValidationPipe({ transform: true }));
  await app.listen(Number(process.env.PORT), '127.0.0.1');
}

void bootstrap();
