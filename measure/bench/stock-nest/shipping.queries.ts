import { HttpService } from '@nestjs/axios';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { firstValueFrom } from 'rxjs';
import type { GetShippingDetailsDto, GetShippingPagedListDto } from './shipping.dto';
import {
  type Detail,
  type ExternalDetail,
  type ExternalPage,
  type ExternalRecord,
  type LookupItem,
  type Page,
  toDetail,
  toLookupItem,
  toPage,
} from './shipping.mapper';

export class GetShippingPagedListQuery extends Query<Page> {
  constructor(readonly params: GetShippingPagedListDto) {
    super();
  }
}

export class GetShippingDetailsQuery extends Query<LookupItem[]> {
  constructor(readonly params: GetShippingDetailsDto) {
    super();
  }
}

export class GetShippingInfoByIdQuery extends Query<Detail> {
  constructor(readonly id: string) {
    super();
  }
}

@QueryHandler(GetShippingPagedListQuery)
export class GetShippingPagedListHandler implements IQueryHandler<GetShippingPagedListQuery> {
  constructor(private readonly httpService: HttpService) {}

  async execute({ params }: GetShippingPagedListQuery): Promise<Page> {
    const { data } = await firstValueFrom(this.httpService.get<ExternalPage>('/shippings/paged', { params }));
    return toPage(data);
  }
}

@QueryHandler(GetShippingDetailsQuery)
export class GetShippingDetailsHandler implements IQueryHandler<GetShippingDetailsQuery> {
  constructor(private readonly httpService: HttpService) {}

  async execute({ params }: GetShippingDetailsQuery): Promise<LookupItem[]> {
    const { data } = await firstValueFrom(
      this.httpService.get<{ ShippingDetails: ExternalRecord[] }>('/shippings/details', { params }),
    );
    return data.ShippingDetails.map(toLookupItem);
  }
}

@QueryHandler(GetShippingInfoByIdQuery)
export class GetShippingInfoByIdHandler implements IQueryHandler<GetShippingInfoByIdQuery> {
  constructor(private readonly httpService: HttpService) {}

  async execute({ id }: GetShippingInfoByIdQuery): Promise<Detail> {
    const { data } = await firstValueFrom(
      this.httpService.get<ExternalDetail>(`/shippings/by-id/${encodeURIComponent(id)}`),
    );
    return toDetail(data);
  }
}
