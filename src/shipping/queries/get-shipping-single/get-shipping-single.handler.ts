import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { foundOrThrow, type QueryResult } from '../../model/query-result';
import type { ShippingDetail } from '../../model/response-bodies';
import { GetShippingSingleQuery, requestOf } from './get-shipping-single.query';

/** Finds one record by criteria. */
@QueryHandler(GetShippingSingleQuery)
export class GetShippingSingleHandler implements IQueryHandler<GetShippingSingleQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  /** @throws {ProblemException} 404 where no record matches */
  execute({ params, context }: GetShippingSingleQuery): Promise<QueryResult<ShippingDetail>> {
    return this.gateway.record(requestOf(params), context).then(foundOrThrow);
  }
}
