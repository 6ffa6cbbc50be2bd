import type { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import type { UpstreamRequest } from '../../src/shipping/gateway/protocol/shipping-protocol';
import type { QueryContext } from '../../src/shipping/model/query-context';
import { NO_MATCH } from '../../src/shipping/model/query-result';

/** A call that the fake gateway received. */
interface ReceivedCall {
  readonly call: 'record' | 'list' | 'page';
  readonly operation: string;
  readonly id?: string;
  readonly parameters?: object;
  readonly context: QueryContext;
}

/** A gateway that returns the same result for each call, and the calls that it received. */
export function fakeGateway(result: () => unknown = () => NO_MATCH): {
  gateway: ExternalShippingGateway;
  calls: ReceivedCall[];
} {
  const calls: ReceivedCall[] = [];
  const methods = (['record', 'list', 'page'] as const).map((call) => {
    const method = async (request: UpstreamRequest, context: QueryContext): Promise<unknown> => {
      calls.push({ ...request, call, operation: request.operation.name, context });
      return Promise.resolve(result());
    };
    return [call, method] as const;
  });
  return { gateway: Object.fromEntries(methods) as unknown as ExternalShippingGateway, calls };
}
