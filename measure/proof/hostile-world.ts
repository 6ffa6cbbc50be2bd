import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { RedisServer } from '../../test/redis/support/redis-server';
import { KeyServer } from '../../testing/key-server';
import { neverResponds } from '../../testing/upstream/connection-faults';
import { type Behaviour, responseHead } from '../../testing/upstream/exchange';
import type { ReceivedCall } from '../../testing/upstream/received-call';
import { wireList, wireRecords } from '../../testing/upstream/records';
import { bytes, delayed, json, JSON_TYPE, jsonText, validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';

/** What an attack fills the memory with. */
export type Kind = 'unread' | 'waiting' | 'upstream' | 'cache' | 'redis' | 'compressors' | 'access';

export const API = '/api/Shipping/';
export const API_KEY = 'of-all-clients';
/** Where the service has keys, this one identifies its clients; elsewhere it means nothing. */
export const HEADERS = { 'X-API-Key': API_KEY };
export const ORDINARY_PATH = `${API}GetShippingInfoById/SHP-1`;

const repeated = (count: number, record: string): string => Array<string>(count).fill(record).join(',');
const addresses = (length: number): Behaviour =>
  jsonText(`{"ShippingDetails":[${repeated(10_000, `{"Id":"A","ShippingAddress":"\u0142${'x'.repeat(length)}"}`)}]}`);
const WINDOW = { params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: 0 } };
const BOMB = brotliCompressSync(Buffer.alloc(5_242_000, ' '), WINDOW);
/** The time of an ordinary system for a list, in which all who wait for a shared call have sent their requests. */
const LIST_MS = 300;

/** Valid records with addresses that V8 keeps with two bytes a character. */
function listOf(count: number): Behaviour {
  const ShippingAddress = 'ul. Świętokrzyska 31/33, klatka B, 00-049 Warszawa, Polska';
  const records = wireRecords(count).map((record) => ({ ...record, ShippingAddress, ShippingItems: undefined }));
  return delayed(LIST_MS, json(wireList(records)));
}

/** A list of them takes 852 kB, and 14 kB compressed. */
const UNIFORM = Array.from({ length: 3600 }, (_, index) => ({ Id: `SHP-${index}`, ShippingAddress: 'x'.repeat(48) }));

/** An endless body in chunks of one byte, written as fast as the service reads. */
const CHUNKS: Behaviour = {
  perform: async (exchange) => {
    await exchange.write(responseHead(200, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }));
    const many = Buffer.from('1\r\n[\r\n'.repeat(10_000));
    while (!exchange.gone.aborted) {
      await exchange.write(many);
      await pause(0);
    }
  },
};

/** The upstream responses to the attackers, by the first word of their search term or order id. */
const RESPONSES: Readonly<Record<string, Behaviour>> = {
  WIDE: addresses(350),
  SHORT: addresses(60),
  LIST: listOf(10_000),
  PAGES: listOf(300),
  HIT: json(wireList(UNIFORM)),
  ITEMS: jsonText(`{"Id":"A","ShippingItems":[${repeated(1_700_000, '{}')}]}`),
  RECORDS: jsonText(`{"TotalCount":1,"Items":[${repeated(582_520, '{"Id":1}')}]}`),
  NESTED: jsonText(`{"ShippingDetails":${'['.repeat(2_500_000)}${']'.repeat(2_500_000)}}`),
  BOMB: bytes(BOMB, { ...JSON_TYPE, 'Content-Encoding': 'br' }),
  CHUNKS,
  HELD: neverResponds(),
};

/** What attackers use beside the service: an external system, and valid tokens. */
export interface HostileWorld {
  readonly upstream: ScriptedUpstream;
  readonly tokensOfRoles: readonly string[];
  readonly tokensOfObjects: readonly string[];
  /** Settings of a service for attacks of a kind, where it needs more than the external system. */
  readonly settings: Readonly<Partial<Record<Kind, Record<string, string>>>>;
}

/** Starts all that attackers use, which ends with this process. */
export async function startWorld(): Promise<HostileWorld> {
  const keys = await KeyServer.start();
  // V8 keeps equal short texts once, so that each token has roles of its own.
  const rolesOf = (client: number): string[] => Array.from({ length: 800 }, (_, role) => `${client}-${role}`);
  const tokensOfRoles = await sign(keys, 8300, rolesOf);
  const tokensOfObjects = await sign(keys, 2000, () => Array<object>(3700).fill({}));
  const redis = await RedisServer.start(undefined, '--maxmemory', '64mb');
  process.once('exit', () => void redis.kill());
  const upstream = await ScriptedUpstream.start();
  upstream.respondWith(responseTo);
  const cache = { CACHE_TTL_MS: '60000' };
  const access = { ...keys.env, AUTH_API_KEYS_SHA256: createHash('sha256').update(API_KEY).digest('hex') };
  const settings = { cache, redis: { ...cache, REDIS_URL: redis.url }, access };
  return { upstream, tokensOfRoles, tokensOfObjects, settings };
}

function responseTo(call: ReceivedCall): Behaviour {
  const [name = ''] = (call.params.get('SearchTerm') ?? call.params.get('OrderId') ?? '').split('-');
  return RESPONSES[name] ?? validResponse(call);
}

function sign(keys: KeyServer, count: number, rolesOf: (client: number) => unknown[]): Promise<string[]> {
  const exp = Math.floor(Date.now() / 1000) + 36_000;
  const tokenOf = (client: number): Promise<string> =>
    keys.sign({ sub: `client-${client}`, roles: rolesOf(client), exp });
  return Promise.all(Array.from({ length: count }, (_, client) => tokenOf(client)));
}
