import { HttpService } from '@nestjs/axios';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { firstValueFrom } from 'rxjs';
import { detailPath, type ExternalDetail, type ExternalPage, toDetail, toPage } from '../mapping';
import type { GetShippingPagedListDto } from './shipping.dto';

export class GetShippingPagedListQuery extends Query<object> {
  constructor(readonly params: GetShippingPagedListDto) {
    super();
  }
}

export class GetShippingInfoByIdQuery extends Query<object> {
  constructor(readonly id: string) {
    super();
  }
}

@QueryHandler(GetShippingPagedListQuery)
export class GetShippingPagedListHandler implements IQueryHandler<GetShippingPagedListQuery> {
  constructor(private readonly httpService: HttpService) {}

  async execute({ params }: GetShippingPagedListQuery): Promise<object> {
    const { data } = await firstValueFrom(this.httpService.get<ExternalPage>('/shippings/paged', { params }));
    return toPage(data);
  }
}

@QueryHandler(GetShippingInfoByIdQuery)
export class GetShippingInfoByIdHandler implements IQueryHandler<GetShippingInfoByIdQuery> {
  constructor(private readonly httpService: HttpService) {}

  async execute({ id }: GetShippingInfoByIdQuery): Promise<object> {
    const { data } = await firstValueFrom(this.httpService.get<ExternalDetail>(detailPath(id)));
    return toDetail(data);
  }
}
