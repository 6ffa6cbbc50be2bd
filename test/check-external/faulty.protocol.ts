import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';

/** A protocol with an error of its own, whose message holds a value of a record. */
export class FaultyProtocol extends StandardProtocol {
  override async record(
    ...[request, send]: Parameters<StandardProtocol['record']>
  ): ReturnType<StandardProtocol['record']> {
    const mapped = await super.record(request, send);
    throw new RangeError(String(mapped.body?.id));
  }
}
