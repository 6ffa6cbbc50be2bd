import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { Answer } from '../../model/completeness';
import type { ShippingDetail } from '../../model/shipping-detail';
import { ShippingNotFound } from '../shipping-not-found';
import { GetShippingSingleQuery } from './get-shipping-single.query';

/** Finds one record by criteria. */
@QueryHandler(GetShippingSingleQuery)
export class GetShippingSingleHandler implements IQueryHandler<GetShippingSingleQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  /** @throws {ShippingNotFound} where no record matches the criteria */
  async execute({ params, context }: GetShippingSingleQuery): Promise<Answer<ShippingDetail>> {
    const answer = await this.gateway.getShippingSingle(params, context);
    if (answer === undefined) throw new ShippingNotFound();
    return answer;
  }
}
