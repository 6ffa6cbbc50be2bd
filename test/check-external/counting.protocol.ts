import type { Send } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';

/** A protocol that needs two requests for each call. */
export class CountingProtocol extends StandardProtocol {
  override async record(
    ...[request, send]: Parameters<StandardProtocol['record']>
  ): ReturnType<StandardProtocol['record']> {
    await count(send);
    return super.record(request, send);
  }

  override async list(...[request, send]: Parameters<StandardProtocol['list']>): ReturnType<StandardProtocol['list']> {
    await count(send);
    return super.list(request, send);
  }

  override async page(...[request, send]: Parameters<StandardProtocol['page']>): ReturnType<StandardProtocol['page']> {
    await count(send);
    return super.page(request, send);
  }
}

function count(send: Send): Promise<unknown> {
  return send({ path: '/shippings/paged', query: { PageNumber: 1, PageSize: 1 } });
}
