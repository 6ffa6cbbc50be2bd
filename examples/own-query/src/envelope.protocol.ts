import { Injectable } from '@nestjs/common';
import { isUpstreamObject, type Send, StandardProtocol } from 'shipping-query-service';

/**
 * The wire format of the specification inside an envelope, `{ "data": … }`; a response without one is read as it is.
 */
@Injectable()
export class EnvelopeProtocol extends StandardProtocol {
  override record(...[request, send]: Parameters<StandardProtocol['record']>): ReturnType<StandardProtocol['record']> {
    return super.record(request, opened(send));
  }

  override list(...[request, send]: Parameters<StandardProtocol['list']>): ReturnType<StandardProtocol['list']> {
    return super.list(request, opened(send));
  }

  override page(...[request, send]: Parameters<StandardProtocol['page']>): ReturnType<StandardProtocol['page']> {
    return super.page(request, opened(send));
  }
}

/** A `Send` that takes each response out of its envelope. */
function opened(send: Send): Send {
  return async (target) => {
    const response = await send(target);
    const { data } = response;
    return isUpstreamObject(data) && data.data !== undefined ? { ...response, data: data.data } : response;
  };
}
