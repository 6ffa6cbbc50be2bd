import { setTimeout as pause } from 'node:timers/promises';
import { MAX_UNSENT_BYTES } from '../../src/http/server/bounds';
import type { ServiceProcess } from '../../test/faults/support/service-process';
import { metricOf } from '../../test/support/http-client';
import * as bodies from '../../testing/upstream/body-faults';
import * as connections from '../../testing/upstream/connection-faults';
import type { Behaviour } from '../../testing/upstream/exchange';
import type { ReceivedCall } from '../../testing/upstream/received-call';
import { wireList, wireRecords } from '../../testing/upstream/records';
import { delayed, empty, html, json, redirect, status, validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { until } from '../checks';
import type { HostileClients } from './hostile-clients';

/** The parts of one scenario. A scenario may replace the external system by another on the same port. */
export interface Stage {
  upstream: ScriptedUpstream;
  readonly service: ServiceProcess;
  readonly clients: HostileClients;
  /** The origin of the port with probes and metrics. */
  readonly management: string;
}

/** One scenario: what is done, and what must hold beside the rules of all scenarios. */
export interface Scenario {
  readonly done: string;
  readonly holds: string;
  /** The kinds of responses that are allowed: `complete`, reasons of failures, or `overloaded`. */
  readonly outcomes: readonly string[];
  /** Settings beside {@link SETTINGS}, or in their place, of a process of its own; scenarios without them share one. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether clients use up the processor: then response times and the number of upstream calls are not checked. */
  readonly exhausts?: boolean;
  /** One of this many clients disconnects before its response. */
  readonly oneLeavesOf?: number;
  readonly begin: (stage: Stage) => Promise<void> | void;
  /** Ends the fault; the external system and the hostile clients are reset anyway. */
  readonly end?: (stage: Stage) => Promise<void> | void;
  /** Checks `holds`. @returns what is wrong, or `undefined` */
  readonly broken?: (stage: Stage) => Promise<string | undefined>;
}

/** Settings in every scenario. Their times are shorter than by default, so that a scenario takes seconds. */
export const SETTINGS = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '1000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '400',
  EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '500',
};
/** The bound of the heap in the manifests of `deploy/`. */
export const HEAP = '--max-old-space-size=224';
const FLOOD = '/api/Shipping/GetShippingDetails?Limit=7';
const FLOOD_MS = 200;
const RESTART_EVERY_MS = 250;
export const PATIENCE_MS = 60_000;
const REFUSED = 'http_server_refused_requests_total{cause="active-requests"}';
const UNSENT = 'http_server_unsent_bytes';
const LARGE_BYTES = 5_000_000;
const RECORDS = wireRecords(400).map((record) => ({ ...record, ShippingAddress: 'x'.repeat(10_000) }));
const LARGE = json(wireList(RECORDS));
const UNREAD = 'GET /api/Shipping/GetShippingDetails?SearchTerm=LARGE HTTP/1.1\r\nHost: hostile\r\n\r\n';

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
    done: 'a short flood; then each fifth call meets a fault, and each ninth client disconnects',
    holds: 'each failure has its reason',
    outcomes: [
      ...['complete', 'shipping-not-found', 'upstream-error', 'bad-reply', 'upstream-timeout', 'upstream-unreachable'],
      ...['saturated', 'circuit-open', 'overloaded'],
    ],
    oneLeavesOf: 9,
    begin: async ({ clients, upstream }: Stage): Promise<void> => {
      let calls = 0;
      upstream.respondWith((received) => mixed((calls += 1), received));
      clients.flood(FLOOD);
      await pause(FLOOD_MS);
      clients.stop();
      // Those of the flood belong to no request that is counted.
      upstream.calls = [];
    },
  },
  {
    done: 'a pipelined flood on 256 connections, while the external system never responds',
    holds: 'requests beyond MAX_ACTIVE_REQUESTS get 503',
    outcomes: ['upstream-timeout', 'saturated', 'circuit-open', 'overloaded'],
    env: { MAX_ACTIVE_REQUESTS: '128' },
    exhausts: true,
    begin: ({ clients, upstream }: Stage): void => {
      upstream.respondWith(connections.neverResponds());
      clients.flood(FLOOD);
    },
    broken: async ({ management }: Stage): Promise<string | undefined> =>
      (await metricOf(management, REFUSED)) > 0 ? undefined : 'none was refused',
  },
  {
    done: '40 connections read none of their responses of 4 MB',
    holds: 'at most 128 MiB wait: the connections that hold most are closed',
    outcomes: ['complete', 'overloaded', 'upstream-timeout', 'saturated', 'circuit-open'],
    // Without the cache, because all responses of one cached list hold the same bytes.
    env: { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '1000' },
    exhausts: true,
    begin: async ({ clients, upstream, management }: Stage): Promise<void> => {
      upstream.respondWith((call) => (call.params.get('SearchTerm') === 'LARGE' ? LARGE : validResponse(call)));
      await clients.leaveUnread(40, UNREAD.repeat(8), 100);
      const isHalf = async (): Promise<boolean> => (await metricOf(management, UNSENT)) > MAX_UNSENT_BYTES / 2;
      const isReached = await until(isHalf, PATIENCE_MS);
      if (!isReached) throw new Error('The bound was never reached');
    },
    broken: async ({ management }: Stage): Promise<string | undefined> => {
      const unsent = await metricOf(management, UNSENT);
      return unsent <= MAX_UNSENT_BYTES + LARGE_BYTES ? undefined : `${unsent} bytes were unsent`;
    },
  },
];
