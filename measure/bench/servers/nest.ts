import 'reflect-metadata';
import { HttpModule, HttpService } from '@nestjs/axios';
import { Controller, Get, Module, Query, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule, type IQueryHandler, Query as CqrsQuery, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { Type } from 'class-transformer';
import { IsDate, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { firstValueFrom } from 'rxjs';
import { type ExternalPage, toPage } from './mapping';

/*
 * A new application of the Nest CLI, with what Nest's documentation shows for each task: Express, `ValidationPipe`,
 * CQRS, and `HttpService` with unchanged axios. It has no logs of requests, metrics, deadlines or retries.
 */

class PageDto {
  @Type(() => Number) @IsInt() @Min(1) PageNumber = 1;
  @Type(() => Number) @IsInt() @Min(1) @Max(100) PageSize = 10;
  @IsOptional() @IsString() @MaxLength(200) SearchTerm?: string;
  @IsOptional() @IsString() @MaxLength(64) OrderId?: string;
  @IsOptional() @IsIn(['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown']) Status?: string;
  @IsOptional() @Type(() => Date) @IsDate() FromDate?: Date;
  @IsOptional() @Type(() => Date) @IsDate() ToDate?: Date;
  @IsOptional() @IsIn(['CreatedDate', 'Status', 'TrackingNumber']) SortBy = 'CreatedDate';
  @IsOptional() @IsIn(['asc', 'desc']) SortDirection = 'desc';
}

class PageQuery extends CqrsQuery<object> {
  constructor(readonly params: PageDto) {
    super();
  }
}

@QueryHandler(PageQuery)
class PageHandler implements IQueryHandler<PageQuery> {
  constructor(private readonly httpService: HttpService) {}

  async execute({ params }: PageQuery): Promise<object> {
    const { data } = await firstValueFrom(this.httpService.get<ExternalPage>('/shippings/paged', { params }));
    return toPage(data);
  }
}

@Controller('api/Shipping')
class ShippingController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('GetShippingPagedList')
  getShippingPagedList(@Query() params: PageDto): Promise<object> {
    return this.queryBus.execute(new PageQuery(params));
  }
}

@Module({
  imports: [CqrsModule.forRoot(), HttpModule.register({ baseURL: process.env.EXTERNAL_SHIPPING_BASE_URL })],
  controllers: [ShippingController],
  providers: [PageHandler],
})
class AppModule {}

async function bootstrap(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  app.useGlobalPipes(new ValidationPipe({ transform: true }));
  await app.listen(Number(process.env.PORT), '127.0.0.1');
}

void bootstrap();
