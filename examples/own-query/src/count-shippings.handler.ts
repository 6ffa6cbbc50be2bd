import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway, type QueryResult } from 'shipping-query-service';
import { countRequest, CountShippingsQuery, type ShippingCount } from './count-shippings.query.js';

@QueryHandler(CountShippingsQuery)
export class CountShippingsHandler implements IQueryHandler<CountShippingsQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  async execute({ params, context }: CountShippingsQuery): Promise<QueryResult<ShippingCount>> {
    const { body, ...facts } = await this.gateway.page(countRequest(params), context);
    return { ...facts, body: { count: body.totalCount } };
  }
}
