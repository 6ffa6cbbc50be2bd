import { soundReply } from '../../../testing/upstream/responses';
import type { Behaviour } from '../../../testing/upstream/exchange';

/** Calls that wait until the test releases them all. */
export interface Held {
  readonly behaviour: Behaviour;
  release(): void;
}

/** Holds calls back, then does the same with each; the default is a sound upstream response. */
export function held(behaviour?: Behaviour): Held {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    behaviour: {
      perform: async (exchange) => {
        await released;
        await (behaviour ?? soundReply(exchange.call)).perform(exchange);
      },
    },
    release,
  };
}
