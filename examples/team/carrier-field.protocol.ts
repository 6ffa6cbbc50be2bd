import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import {
  isUpstreamObject,
  PagedShippingList,
  type QueryResult,
  type Send,
  ShippingDetail,
  ShippingListItem,
  ShippingLookupItem,
  StandardProtocol,
  type UpstreamRequest,
} from 'shipping-query-service';

/** The field in the document: the three classes of records are documented as if they had it. */
for (const { prototype } of [ShippingListItem, ShippingLookupItem, ShippingDetail]) {
  ApiProperty({ type: String, nullable: true, description: 'Code of the carrier' })(prototype, 'carrier');
}

/** The field in the responses: each record of the standard protocol gets the `Carrier` of its upstream record. */
@Injectable()
export class CarrierFieldProtocol extends StandardProtocol {
  override async record(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>> {
    const carriers = new Carriers(send);
    const result = await super.record(request, carriers.send);
    return { ...result, body: result.body && carriers.addTo(result.body) };
  }

  override async list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    const carriers = new Carriers(send);
    const result = await super.list(request, carriers.send);
    return { ...result, body: result.body.map(carriers.addTo) };
  }

  override async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const carriers = new Carriers(send);
    const result = await super.page(request, carriers.send);
    return { ...result, body: { ...result.body, items: result.body.items.map(carriers.addTo) } };
  }
}

/** Remembers the carriers of the records that a request returns, by their identifiers. */
class Carriers {
  private readonly byId = new Map<string, string>();

  constructor(private readonly sendOn: Send) {}

  readonly send: Send = async (target) => {
    const response = await this.sendOn(target);
    const { data } = response;
    if (!isUpstreamObject(data)) return response;
    for (const record of [data, data.Items, data.ShippingDetails].flat()) {
      if (!isUpstreamObject(record) || typeof record.Carrier !== 'string') continue;
      this.byId.set(String(record.Id), record.Carrier);
    }
    return response;
  };

  readonly addTo = <Item extends ShippingLookupItem>(item: Item): Item & { carrier: string | null } => ({
    ...item,
    carrier: this.byId.get(item.id) ?? null,
  });
}
