import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { foundOrThrow, type QueryResult } from '../../model/query-result';
import type { ShippingDetail } from '../../model/response-bodies';
import { GetShippingInfoByIdQuery, requestOf } from './get-shipping-info-by-id.query';

/** Finds one record by its identifier. */
@QueryHandler(GetShippingInfoByIdQuery)
export class GetShippingInfoByIdHandler implements IQueryHandler<GetShippingInfoByIdQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  /** @throws {ProblemException} 404 where no record matches */
  execute({ params, context }: GetShippingInfoByIdQuery): Promise<QueryResult<ShippingDetail>> {
    return this.gateway.record(requestOf(params), context).then(foundOrThrow);
  }
}
