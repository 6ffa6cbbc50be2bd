import { MAX_UNSENT_BYTES } from '../../src/http/server/bounded-server';
import { DETAILS } from '../../test/support/operations';
import { neverResponds } from '../../test/support/upstream/connection-faults';
import { detailsReply, wireRecords } from '../../test/support/upstream/records';
import { bytes, json, JSON_TYPE } from '../../test/support/upstream/responses';
import type { Scenario, Stage } from './scenario';

const DROPPED_LINES = 'log_lines_dropped_total';
/** Within the size limit. */
const OPEN_ARRAYS = bytes(Buffer.alloc(5_000_000, '['), JSON_TYPE);
const ONE_NESTED_OF = 7;

/** Clients that take all the processor time they get, while every other client is served. */
const ATTACK = {
  site: 'plain',
  short: true,
  exhausts: true,
  reasons: [],
  good: 'complete',
  end: ({ clients }: Stage): void => {
    clients.stop();
  },
} as const;

/** Fills the log first. It stays unread to the end, so that the exit of the process is part of the proof. */
const UNREAD_LOG: Scenario = {
  ...ATTACK,
  name: 'standard output that nothing reads',
  begin: async ({ service, clients }) => {
    service.stallLog();
    clients.repeatUnknownPaths();
    await service.untilMetric(DROPPED_LINES, (lines) => lines > 0);
    clients.stop();
  },
  broken: async ({ service }, responses) => {
    const dropped = await service.metric(DROPPED_LINES);
    return dropped > responses.length ? undefined : `${dropped} lines dropped, ${responses.length} responses`;
  },
  end: () => undefined,
};

const HOSTILE_QUERIES: Scenario = {
  ...ATTACK,
  name: 'hostile query strings on 16 connections',
  begin: ({ clients }) => {
    clients.repeatHostileQueries();
  },
  broken: ({ clients: { statuses } }, responses) => {
    const refused = statuses.get(400) ?? 0;
    const others = [...statuses.keys()].filter((code) => code !== 400 && code !== 503);
    if (others.length > 0) return `status ${others.join(', ')}`;
    return refused > responses.length ? undefined : `${refused} were refused beside ${responses.length} responses`;
  },
};

/** The external system never responds, so that each refusal comes before the response to a request that waits. */
const PIPELINED_FLOOD: Scenario = {
  name: 'a pipelined flood on 8 connections',
  site: 'plain',
  short: true,
  exhausts: true,
  env: { MAX_ACTIVE_REQUESTS: '128' },
  reasons: ['upstream-timeout', 'saturated'],
  refuses: true,
  begin: ({ clients, upstream }) => {
    upstream.respondWith(neverResponds());
    clients.repeatFlood();
  },
  broken: async ({ clients, service }) => {
    const refused = clients.statuses.get(503) ?? 0;
    const counted = await service.metric('http_server_refused_requests_total{cause="active-requests"}');
    return refused > 0 && counted > 0 ? undefined : `${refused} responses were 503, ${counted} were counted`;
  },
  end: ({ clients, upstream }) => {
    clients.stop();
    upstream.respondWith(json());
  },
};

const NESTED_BODIES: Scenario = {
  name: 'one response in seven is 5 MB of open arrays',
  site: 'plain',
  short: true,
  reasons: ['bad-reply'],
  good: 'complete',
  begin: ({ upstream }) => {
    let calls = 0;
    upstream.respondWith(() => ((calls += 1) % ONE_NESTED_OF === 0 ? OPEN_ARRAYS : json()));
  },
  broken: (_, responses) => {
    const bad = responses.filter(({ what }) => what === 'bad-reply').length;
    const complete = responses.filter(({ what }) => what === 'complete').length;
    return bad > 0 && complete > bad ? undefined : `${bad} responses were bad-reply, ${complete} complete`;
  },
  end: ({ upstream }) => {
    upstream.respondWith(json());
  },
};

/** A copy of 380 KB for each spelling would show in the growth of memory. */
const SPELLINGS: Scenario = {
  ...ATTACK,
  name: 'a file of the Swagger page, spelled differently each time',
  begin: ({ clients }) => {
    clients.repeatSpellings();
  },
  broken: ({ clients: { statuses } }, responses) => {
    const others = [...statuses.keys()].filter((code) => code !== 200 && code !== 503);
    if (others.length > 0) return `status ${others.join(', ')}`;
    const served = statuses.get(200) ?? 0;
    return served > responses.length ? undefined : `${served} files were served beside ${responses.length} responses`;
  },
};

/** A document that is made for each request takes as long as ten pages. */
const DOCUMENTS: Scenario = {
  ...ATTACK,
  name: 'the OpenAPI document on 40 connections',
  begin: ({ clients }) => {
    clients.repeatDocuments();
  },
  broken: ({ clients: { statuses } }, responses) => {
    const served = statuses.get(200) ?? 0;
    return served > 4 * responses.length ? undefined : `${served} were served beside ${responses.length} responses`;
  },
};

const UNREAD_PATH = `/api/Shipping/${DETAILS.name}?Limit=9`;
const UNREAD_RESPONSE = json(
  detailsReply(wireRecords(400).map((record) => ({ ...record, ShippingAddress: 'x'.repeat(10_000) }))),
);
const UNREAD_RESPONSE_BYTES = 5_000_000;
const UNSENT_REFUSALS = 'http_server_refused_requests_total{cause="unsent-bytes"}';

/** 240 responses of 4 MB are requested; those that are sent before the bound is reached fill it. */
const UNREAD_RESPONSES: Scenario = {
  name: 'responses that 30 connections do not read',
  site: 'plain',
  // A late event loop refuses the requests whose responses have to fill the bound.
  short: false,
  env: {},
  reasons: [],
  good: 'complete',
  refuses: true,
  begin: async ({ clients, upstream, service }) => {
    upstream.respondWith(({ params }) => (params.get('Limit') === '9' ? UNREAD_RESPONSE : json()));
    clients.leaveUnread(UNREAD_PATH);
    // The operating system may take all that was sent at once afterwards.
    await service.untilMetric(UNSENT_REFUSALS, (refused) => refused > 0);
  },
  broken: async ({ service }) => {
    const unsent = await service.metric('http_server_unsent_bytes');
    const refused = await service.metric(UNSENT_REFUSALS);
    const isBounded = unsent < MAX_UNSENT_BYTES + UNREAD_RESPONSE_BYTES && refused > 0;
    return isBounded ? undefined : `${unsent} bytes were unsent, ${refused} requests were refused`;
  },
  end: ({ clients, upstream }) => {
    clients.stop();
    upstream.respondWith(json());
  },
};

/** The bounds of the process against clients, its log, single operations and single upstream responses. */
export const BOUNDS: readonly Scenario[] = [
  UNREAD_LOG,
  HOSTILE_QUERIES,
  PIPELINED_FLOOD,
  SPELLINGS,
  DOCUMENTS,
  UNREAD_RESPONSES,
  NESTED_BODIES,
];
