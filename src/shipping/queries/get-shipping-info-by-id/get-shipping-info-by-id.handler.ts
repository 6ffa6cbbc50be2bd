import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { Answer } from '../../model/completeness';
import type { ShippingDetail } from '../../model/shipping-detail';
import { ShippingNotFound } from '../shipping-not-found';
import { GetShippingInfoByIdQuery } from './get-shipping-info-by-id.query';

/** Finds one record by its identifier. */
@QueryHandler(GetShippingInfoByIdQuery)
export class GetShippingInfoByIdHandler implements IQueryHandler<GetShippingInfoByIdQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  /** @throws {ShippingNotFound} where the identifier does not exist */
  async execute({ params, context }: GetShippingInfoByIdQuery): Promise<Answer<ShippingDetail>> {
    const answer = await this.gateway.getShippingInfoById(params.id, context);
    if (answer === undefined) throw new ShippingNotFound();
    return answer;
  }
}
