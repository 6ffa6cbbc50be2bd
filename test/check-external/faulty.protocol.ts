import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';

/** A protocol with an error of its own, whose message holds a value of a record. */
export class FaultyProtocol extends StandardProtocol {
  override record: StandardProtocol['record'] = async (request, send) => {
    throw new RangeError(String((await super.record(request, send)).body?.id));
  };
}
