import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { QueryResult } from '../../model/query-result';
import type { ShippingDetail } from '../../model/response-bodies';
import { foundOrThrow } from '../../model/shipping-exceptions';
import { GetShippingInfoByIdQuery, infoByIdRequest } from './get-shipping-info-by-id.query';

/** Finds one record by its identifier. */
@QueryHandler(GetShippingInfoByIdQuery)
export class GetShippingInfoByIdHandler implements IQueryHandler<GetShippingInfoByIdQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  /** @throws {ShippingNotFoundException} where no record matches */
  execute({ params, context }: GetShippingInfoByIdQuery): Promise<QueryResult<ShippingDetail>> {
    return this.gateway.record(infoByIdRequest(params), context).then(foundOrThrow);
  }
}
