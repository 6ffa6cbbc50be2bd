import 'reflect-metadata';
import { HttpModule, HttpService } from '@nestjs/axios';
import { Controller, Get, Module, Query, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule, type IQueryHandler, Query as CqrsQuery, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Type } from 'class-transformer';
import { IsDate, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { firstValueFrom } from 'rxjs';
import { type ExternalList, type ExternalPage, toLookups, toPage } from './mapping';

/*
 * A new application of the Nest CLI, with what Nest's documentation shows for each task: Express, `ValidationPipe`,
 * CQRS, and `HttpService` with unchanged axios. It has no logs of requests, metrics, deadlines or retries.
 *
 * With `KEEPS`, it is the plainest application that has the parts of the service: the Fastify adapter, and handlers that
 * return the object that they made first. Without keys, expiry, headers, logs and metrics, it shows what these cost a
 * hit of the service.
 */

const KEEPS = process.env.KEEPS !== undefined;

class ShippingDto {
  @IsOptional() @IsString() @MaxLength(200) SearchTerm?: string;
  @IsOptional() @IsString() @MaxLength(64) OrderId?: string;
  @IsOptional() @IsIn(['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown']) Status?: string;
  @IsOptional() @Type(() => Date) @IsDate() FromDate?: Date;
  @IsOptional() @Type(() => Date) @IsDate() ToDate?: Date;
}

class PageDto extends ShippingDto {
  @Type(() => Number) @IsInt() @Min(1) PageNumber = 1;
  @Type(() => Number) @IsInt() @Min(1) @Max(100) PageSize = 10;
  @IsOptional() @IsIn(['CreatedDate', 'Status', 'TrackingNumber']) SortBy = 'CreatedDate';
  @IsOptional() @IsIn(['asc', 'desc']) SortDirection = 'desc';
}

class ListDto extends ShippingDto {
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) Limit?: number;
}

class ShippingQuery extends CqrsQuery<object> {
  constructor(
    readonly path: string,
    readonly params: ShippingDto,
  ) {
    super();
  }
}

@QueryHandler(ShippingQuery)
class ShippingHandler implements IQueryHandler<ShippingQuery> {
  private readonly kept = new Map<string, object>();

  constructor(private readonly httpService: HttpService) {}

  async execute({ path, params }: ShippingQuery): Promise<object> {
    const kept = this.kept.get(path);
    if (kept !== undefined) return kept;
    const { data } = await firstValueFrom(this.httpService.get<ExternalPage | ExternalList>(path, { params }));
    const body = 'Items' in data ? toPage(data) : toLookups(data);
    if (KEEPS) this.kept.set(path, body);
    return body;
  }
}

@Controller('api/Shipping')
class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingPagedList')
  getShippingPagedList(@Query() params: PageDto): Promise<object> {
    return this.queryBus.execute(new ShippingQuery('/shippings/paged', params));
  }

  @Get('GetShippingDetails')
  getShippingDetails(@Query() params: ListDto): Promise<object> {
    return this.queryBus.execute(new ShippingQuery('/shippings/details', params));
  }
}

@Module({
  imports: [CqrsModule.forRoot(), HttpModule.register({ baseURL: process.env.EXTERNAL_SHIPPING_BASE_URL })],
  controllers: [ShippingController],
  providers: [ShippingHandler],
})
class AppModule {}

async function bootstrap(): Promise<void> {
  const adapter = KEEPS ? new FastifyAdapter() : new ExpressAdapter();
  const app = await NestFactory.create(AppModule, adapter, { logger: ['error', 'warn'] });
  app.useGlobalPipes(new ValidationPipe({ transform: true }));
  await app.listen(Number(process.env.PORT), '127.0.0.1');
}

void bootstrap();
