import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { QueryResult } from '../../model/query-result';
import type { ShippingDetail } from '../../model/shipping-detail';
import { foundOrThrow } from '../shared/shipping-not-found.exception';
import { GetShippingInfoByIdQuery } from './get-shipping-info-by-id.query';
import { infoByIdRequest } from './get-shipping-info-by-id.request';

/** Finds one record by its identifier. */
@QueryHandler(GetShippingInfoByIdQuery)
export class GetShippingInfoByIdHandler implements IQueryHandler<GetShippingInfoByIdQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  /** @throws {ShippingNotFoundException} where the identifier does not exist */
  execute({ params, context }: GetShippingInfoByIdQuery): Promise<QueryResult<ShippingDetail>> {
    return this.gateway.fetch(infoByIdRequest(params), context).then(foundOrThrow);
  }
}
