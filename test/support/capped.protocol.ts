import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';

/** Its external system gives one record at most, whatever the `Limit`. */
export class CappedProtocol extends StandardProtocol {
  override async list(...request: Parameters<StandardProtocol['list']>): ReturnType<StandardProtocol['list']> {
    return { ...(await super.list(...request)), completeness: { level: 'complete', limit: 1 } };
  }
}
