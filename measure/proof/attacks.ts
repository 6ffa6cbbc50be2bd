import { bearer } from '../../testing/key-server';
import type { HostileClients } from './hostile-clients';
import { API, API_KEY, HEADERS, type HostileWorld, type Kind } from './hostile-world';

export interface Attack {
  readonly name: string;
  readonly kind: Kind;
  readonly begin: (clients: HostileClients, world: HostileWorld) => unknown;
}

const request = (target: string, fields: string): string => `GET ${API}${target} HTTP/1.1\r\n${fields}\r\n`;
const get = (target: string, fields = ''): string => request(target, `Host: a\r\nX-API-Key: ${API_KEY}\r\n${fields}`);
const listPath = (name: string): string => `GetShippingDetails?Limit=10000&SearchTerm=${name}`;
const listOf = (name: string, fields = ''): string => get(listPath(name), fields);
/** A list whose address no other client sends, so that a cache does not matter. */
const ownList = (client: number): string => `${API}${listPath(`LIST-${client}`)}`;

/** Empty header fields with short names. */
const fieldsOf = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index.toString(36)}:\r\n`).join('');
const HELD = listOf('HELD');
const LONG_HELD = listOf('HELD', fieldsOf(1000));
const ACCEPT_GZIP = 'Accept-Encoding: gzip\r\n';
const GZIP = { 'Accept-Encoding': 'gzip' };

function attack(kind: Kind, name: string, begin: Attack['begin']): Attack {
  return { kind, name, begin };
}

/** Connections that each send the text and read no response. */
function unread(kind: Kind, connections: number, what: string, text: string): Attack {
  return attack(kind, `${connections} × ${what}`, (clients) => clients.leaveUnread(connections, text));
}

/** Clients that read their responses, and each time send the next request. */
function reading(kind: Kind, count: number, what: string, path: (client: number) => string, fields = {}): Attack {
  return attack(kind, `${count} clients that read ${what}`, (clients) => {
    clients.keepReading(count, path, { ...HEADERS, ...fields });
  });
}

const HITS = [1, 2, 3, 4].map((list) => `HIT-${list}`);
const hits = (fields: string): string => HITS.map((name) => listOf(name, fields)).join('');

/** First lets Redis have the lists, and their codings, which the service makes for the second response. */
function onHits(name: string, begin: (clients: HostileClients) => unknown): Attack {
  return attack('redis', name, async (clients) => {
    const requests = HITS.map((hit) => ({ path: API + listPath(hit), headers: { ...HEADERS, ...GZIP } }));
    await clients.readAll(requests);
    await clients.readAll(requests);
    await begin(clients);
  });
}

/** Clients that each send a token with a request that is refused as soon as they are known. */
function withTokens(what: string, tokensIn: (world: HostileWorld) => readonly string[]): Attack {
  const path = `${API}GetShippingPagedList?PageSize=0`;
  return attack('access', what, (clients, world) =>
    clients.readAll(tokensIn(world).map((token) => ({ path, headers: bearer(token) }))),
  );
}

export const ATTACKS: readonly Attack[] = [
  unread('unread', 240, 'an unread list with a letter beyond Latin-1', listOf('WIDE')),
  unread('unread', 400, 'an unread list of short records', listOf('SHORT')),

  unread('waiting', 100, '31 waiting requests of 100 fields', listOf('HELD', fieldsOf(98)).repeat(63)),
  unread('waiting', 100, '31 waiting requests of 1,000 fields', HELD.repeat(32) + LONG_HELD.repeat(31)),
  unread('waiting', 7500, 'a half-sent request of 1,000 fields', LONG_HELD.slice(0, -2)),
  unread('waiting', 300, '600 requests without Host behind a slow one', HELD + request('A', '').repeat(600)),
  unread('waiting', 300, '600 requests with Expect: x behind a slow one', HELD + get('A', 'Expect: x\r\n').repeat(600)),

  unread('upstream', 64, 'a body in chunks of one byte', listOf('CHUNKS')),
  unread('upstream', 16, '1.7 million shipping items', get('GetShippingSingle?OrderId=ITEMS')),
  unread('upstream', 16, '582,520 records in a page of one', get('GetShippingPagedList?PageSize=1&SearchTerm=RECORDS')),
  unread('upstream', 64, 'a brotli body with a window of 16 MiB', listOf('BOMB')),
  unread('upstream', 32, 'a list of 2.5 million nested arrays', listOf('NESTED')),

  unread('cache', 60, 'a request of one cold list of 10,000', listOf('LIST')),
  unread('cache', 64, '32 requests of one cold list of 300, with gzip', listOf('PAGES', ACCEPT_GZIP).repeat(32)),
  reading('cache', 85, 'one cold list of 10,000', () => API + listPath('LIST')),

  onHits('700 × 4 unread compressed hits of Redis behind small windows', (clients) =>
    clients.leaveUnreadBehindSmallWindows(700, hits(ACCEPT_GZIP)),
  ),
  onHits('700 × 4 unread hits of Redis', (clients) => clients.leaveUnread(700, hits(''))),
  onHits('60 clients that read hits of Redis', (clients) => {
    clients.keepReading(60, (client) => API + listPath(HITS[client % 4] ?? ''), { ...HEADERS, ...GZIP });
  }),

  reading('compressors', 60, 'lists of 10,000 with gzip', ownList, GZIP),

  withTokens('2,000 tokens of 3,700 empty objects', (world) => world.tokensOfObjects),
  withTokens('8,300 tokens of 800 roles', (world) => world.tokensOfRoles),
];

/** Pairs of attacks in which each kind meets each other kind; the attacks of a kind take turns. */
export function pairsOfAttacks(): readonly (readonly Attack[])[] {
  const kinds = [...new Set(ATTACKS.map(({ kind }) => kind))];
  const queues = kinds.map((kind) => ATTACKS.filter((each) => each.kind === kind));
  const nextOf = (queue: Attack[]): Attack[] => {
    const next = queue.splice(0, 1);
    queue.push(...next);
    return next;
  };
  return queues.flatMap((one, index) => queues.slice(index + 1).map((other) => [...nextOf(one), ...nextOf(other)]));
}
