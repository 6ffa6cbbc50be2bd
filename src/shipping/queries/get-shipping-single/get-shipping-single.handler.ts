import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { QueryResult } from '../../model/query-result';
import type { ShippingDetail } from '../../model/shipping-detail';
import { foundOrThrow } from '../shared/shipping-not-found.exception';
import { GetShippingSingleQuery } from './get-shipping-single.query';
import { singleRequest } from './get-shipping-single.request';

/** Finds one record by criteria. */
@QueryHandler(GetShippingSingleQuery)
export class GetShippingSingleHandler implements IQueryHandler<GetShippingSingleQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  /** @throws {ShippingNotFoundException} where no record matches the criteria */
  execute({ params, context }: GetShippingSingleQuery): Promise<QueryResult<ShippingDetail>> {
    return this.gateway.fetch(singleRequest(params), context).then(foundOrThrow);
  }
}
