import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';

/** A protocol that needs two requests for a page. */
export class CountingProtocol extends StandardProtocol {
  override page: StandardProtocol['page'] = async (request, send) => {
    await send({ path: '/shippings/paged', query: { PageNumber: 1, PageSize: 1 } });
    return super.page(request, send);
  };
}
