import * as bodies from '../../testing/upstream/body-faults';
import * as connections from '../../testing/upstream/connection-faults';
import type { Behaviour } from '../../testing/upstream/exchange';
import type { ReceivedCall } from '../../testing/upstream/received-call';
import { delayed, empty, html, redirect, status, validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import type { ServerProcess } from '../server-process';

/** The parts of one scenario. A scenario may replace the external system by another on the same port. */
export interface Stage {
  upstream: ScriptedUpstream;
  readonly service: ServerProcess;
  /** The origin of the port with probes and metrics. */
  readonly management: string;
}

/** One scenario: what is done, and what must hold by the rules of all scenarios. */
export interface Scenario {
  readonly done: string;
  readonly holds: string;
  /** The kinds of responses that are allowed: `complete`, reasons of failures, or codes of problems. */
  readonly outcomes: readonly string[];
  /** One of this many clients disconnects before its response. */
  readonly oneLeavesOf?: number;
  readonly begin: (stage: Stage) => Promise<void> | void;
  /** Ends the fault; the external system is reset anyway. */
  readonly end?: (stage: Stage) => Promise<void> | void;
}

/** Settings in every scenario. Their times are shorter than by default, so that a scenario takes seconds. */
export const SETTINGS = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '1000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '400',
  EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '500',
};
/** The bound of the heap in the manifests of `deploy/`. */
export const HEAP = '--max-old-space-size=224';
const RESTART_EVERY_MS = 250;

/** What makes an attempt fail at once. */
const FAULTS = [
  ...[status(400), status(429, { retryAfter: 0 }), status(503, { retryAfter: 30 }), status(500)],
  ...[html(502), redirect(), html(), empty(200)],
  ...[bodies.badJson(), bodies.wrongShape(), bodies.deepJson(40_000), bodies.truncatedGzip(), bodies.oversized()],
  ...[bodies.hugeHeaders(), bodies.garbageBytes(), connections.endlessBody(), connections.closesEarly()],
  ...[connections.resetsMidBody(), connections.resetsBeforeHeaders()],
];

/** Each fifth call meets a fault, the faults in turn, and of the others each tenth no match. */
function mixed(call: number, received: ReceivedCall): Behaviour {
  const fault = call % 5 === 0 ? FAULTS[(call / 5) % FAULTS.length] : undefined;
  return fault ?? delayed(call % 60, call % 10 === 1 ? status(404) : validResponse(received));
}

let restarts: NodeJS.Timeout;

export const SCENARIOS: readonly Scenario[] = [
  {
    done: 'the external system accepts calls and never responds',
    holds: 'failures that name a time-out or the circuit',
    outcomes: ['upstream-timeout', 'saturated', 'circuit-open'],
    begin: ({ upstream }: Stage): void => {
      upstream.respondWith(connections.neverResponds());
    },
  },
  {
    done: 'the external system is gone, its port closed',
    holds: 'failures that name the connection or the circuit',
    outcomes: ['upstream-unreachable', 'bad-reply', 'circuit-open'],
    begin: ({ upstream }: Stage): Promise<void> => upstream.close(),
    end: async (stage: Stage): Promise<void> => {
      stage.upstream = await ScriptedUpstream.start({ port: Number(new URL(stage.upstream.url).port) });
    },
  },
  {
    done: 'the external system restarts four times a second: all connections break, new ones are accepted',
    holds: 'no failed response',
    outcomes: ['complete'],
    begin: ({ upstream }: Stage): void => {
      upstream.respondWith((call) => delayed(20, validResponse(call)));
      restarts = setInterval(() => { upstream.hangUp(); }, RESTART_EVERY_MS); // prettier-ignore
    },
    end: (): void => {
      clearInterval(restarts);
    },
  },
  {
    done: 'each fifth call meets a fault, and each ninth client disconnects',
    holds: 'each failure has its reason',
    outcomes: [
      ...['complete', 'shipping-not-found', 'upstream-error', 'bad-reply', 'upstream-timeout', 'upstream-unreachable'],
      ...['saturated', 'circuit-open'],
    ],
    oneLeavesOf: 9,
    begin: ({ upstream }: Stage): void => {
      let calls = 0;
      upstream.respondWith((received) => mixed((calls += 1), received));
    },
  },
];
