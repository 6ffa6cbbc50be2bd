import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { succeeds } from '../../src/common/errors';
import { isoUtc, parseDate } from '../../src/common/iso-date';
import { trimmed, withoutPort } from '../../src/common/text';
import { comparableName, decodePair, pairsOf } from '../../src/http/parameters/query-string';
import { pathOf } from '../../src/http/paths';
import { prefersStrictHandling, requestIdOf } from '../../src/http/requests/request-headers';
import { routableTarget } from '../../src/http/requests/unroutable-requests';
import { continueTrace } from '../../src/observability/tracing/tracing';
import { retryAfterMs } from '../../src/resilience/upstream-failure';
import { codingsOf } from '../../src/shipping/gateway/transport/content-encoding';
import { checkShape } from '../../src/shipping/gateway/transport/json-shape';
import { describeType, parseJson, textOf } from '../../src/shipping/gateway/transport/response-text';
import { shippingStatusFromName } from '../../src/shipping/model/shipping-status';
import { bearer } from '../../testing/key-server';
import { RECORD_FIELDS, wireBodyOf, wireRecord } from '../../testing/upstream/records';
import { bytes, json, jsonBytes } from '../../testing/upstream/responses';
import { digestOf, useGuardedService } from '../access/access';

/** Just below the 16 KiB that a request may have. */
const LENGTH = 15_000;
/** Quadratic time is thousands of times as long in a parser, and a hundred times in a request, whose rest takes time too. */
const MAX_RATIO = 50;
const MAX_RATIO_OF_REQUESTS = 20;
const REPETITIONS = 5;
/** A text that seems slow is measured so often, because all of five times may fall into the turns of other processes. */
const REPETITIONS_OF_SUSPECTS = 50;

/** What the grammars of headers and parameters give a meaning to. */
const UNITS = [
  ...['"', '\\', '\\"', ',', ';', '=', ' ', '\t', '\u00a0', '.', ':', '/', '-', '+', '*', '[', ']', '&'],
  ...['%', '%2', '%20', 'a,', 'a=', 'a;', '0', '1.', 'a ', '""', '%c3%a4', ';q=0.1,', 'W/"', 'handling'],
];
/** Every normal form sorts the marks behind one letter, which takes quadratic time (D18). */
const MARKS = 'a' + '\u0301\u0323'.repeat(LENGTH / 2);
const BEGINNINGS = ['', '"', 'a', 'Bearer ', 'handling=', '[', '2026-01-01T00:00:00', 'Sun, '];
const ENDS = ['', '\\'];

const PLAIN = 'a'.repeat(LENGTH);
const HOSTILE = [
  MARKS,
  ...BEGINNINGS.flatMap((beginning) =>
    ENDS.flatMap((end) => UNITS.map((unit) => beginning + repeated(unit, beginning.length + end.length) + end)),
  ),
];
/** A request takes a thousand times as long as a parser: two frames are enough, the second opens a quotation and ends it badly. */
const HOSTILE_OF_REQUESTS = UNITS.flatMap((unit) => [repeated(unit, 0), `"${repeated(unit, 2)}\\`]);

type Work = (text: string) => unknown;

function repeated(unit: string, others: number): string {
  return unit.repeat(Math.floor((LENGTH - others) / unit.length));
}

/**
 * The texts that take much longer than a plain one and 2.5 times as long a character as their first quarter does.
 * Each time is the shortest of several, so that a busy machine is not to blame.
 */
async function slow(texts: readonly string[], work: Work, maxRatio = MAX_RATIO_OF_REQUESTS): Promise<string[]> {
  const limitMs = maxRatio * Math.max(await shortest(work, PLAIN), await shortest(readAll, PLAIN));
  const found: string[] = [];
  for (const text of texts) {
    if ((await shortest(work, text, limitMs)) <= limitMs) continue;
    const ms = await shortest(work, text, limitMs, REPETITIONS_OF_SUSPECTS);
    if (ms <= limitMs) continue;
    const quarterMs = await shortest(work, text.slice(0, text.length / 4) + text.slice(-1));
    if (ms > 10 * quarterMs) found.push(`${text.slice(0, 40)}…${text.slice(-5)}: ${ms} ms`);
  }
  return found;
}

/** The shortest of several times that a work takes; the first that is short enough will do. */
async function shortest(work: Work, text: string, enoughMs = 0, repetitions = REPETITIONS): Promise<number> {
  let best = Infinity;
  for (let time = 0; time < repetitions && best > enoughMs; time += 1) {
    const from = performance.now();
    await work(text);
    best = Math.min(best, performance.now() - from);
  }
  return best;
}

/** Is measured too, because a parser that refuses a plain text at its first character says nothing about others. */
function readAll(text: string): string {
  return text.replace(/[^]/g, (character) => character);
}

describe('D34 no foreign text takes more than linear time', () => {
  it.each<readonly [string, Work]>([
    ['prefersStrictHandling', prefersStrictHandling],
    ['requestIdOf', (text) => requestIdOf({ headers: { 'x-request-id': text } })],
    ['continueTrace', continueTrace],
    ['withoutPort', withoutPort],
    ['comparableName', comparableName],
    ['trimmed', trimmed],
    ['parseDate', (text) => parseDate(text)],
    ['isoUtc', isoUtc],
    ['pairsOf', pairsOf],
    ['decodePair', decodePair],
    ['pathOf', pathOf],
    ['routableTarget', (url) => routableTarget({ url })],
    ['retryAfterMs', (text) => retryAfterMs(text, text)],
    ['shippingStatusFromName', shippingStatusFromName],
    ['parseJson', (text) => parseJson(JSON.stringify(text), {})],
    ['parseJson of what is no JSON', (text) => succeeds(() => parseJson(text, { 'content-type': text }))],
    ['checkShape', (text) => succeeds(checkShape.bind(undefined, text, LENGTH))],
    ['describeType', describeType],
    ['textOf', (text) => succeeds(() => textOf(Buffer.from(text), { 'content-type': `a/json;charset=${text}` }))],
    ['codingsOf', (text) => succeeds(() => codingsOf(text))],
  ])('%s', async (_, parser) => {
    expect(await slow(HOSTILE, parser, MAX_RATIO)).toEqual([]);
  });

  describe('as part of a request', () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const key = 'linear';
    const guarded = useGuardedService({
      AUTH_API_KEYS_SHA256: digestOf(key),
      CORS_ORIGINS: 'https://page.test',
      FORWARD_CLAIMS: 'tenant:X-Tenant',
      FORWARD_HEADERS: 'X-Tenant-Id',
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'silent',
    });
    afterAll(() => {
      agent.destroy();
    });

    async function send(path: string, headers: OutgoingHttpHeaders = {}): Promise<void> {
      const { hostname, port } = new URL(guarded.service.url);
      const own = headers.Authorization === undefined ? { 'X-API-Key': key } : {};
      const outgoing = request({ hostname, port, path, agent, headers: { ...own, ...headers } }).end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
    }

    const DETAILS = '/api/Shipping/GetShippingDetails';
    const PAGED = '/api/Shipping/GetShippingPagedList';
    const BY_ID = '/api/Shipping/GetShippingInfoById/SHP-1';
    const STRICT = { Prefer: 'handling=strict' };
    const WITH_MARKS = [MARKS, ...HOSTILE_OF_REQUESTS];
    const encoded = (text: string): string =>
      text.replace(/[^\x21-\x7e]|[#&?%+]/g, (character) => encodeURIComponent(character)).slice(0, LENGTH);
    const visible = (text: string): string => text.replace(/[^\x21-\x7e]/g, '');
    async function sendToken(name: string, text: string): Promise<void> {
      // A token of all of it would be longer than the headers of a request may be.
      const value = { [name]: text.slice(0, LENGTH / 4) };
      const token = await guarded.keyServer.sign(...(/^(typ|kid)$/.test(name) ? [{}, value] : [value]));
      await send(DETAILS, bearer(token));
    }
    async function receiveField(name: string, text: string): Promise<void> {
      guarded.upstream.respondWith(json(wireBodyOf(wireRecord({ [name]: text }))));
      await send('/api/Shipping/GetShippingSingle?Id=a&OrderId=a&TrackingNumber=a');
      await send(`${DETAILS}?OrderId=a&Status=Created`);
    }
    async function receiveHeader(name: string, text: string): Promise<void> {
      guarded.upstream.respondWith(bytes(jsonBytes(wireBodyOf(wireRecord())), { [name]: text }));
      await send(PAGED);
    }
    type Sent = (name: string, text: string) => Promise<void>;
    const rows = (what: string, names: readonly string[], sent: Sent, texts: readonly string[] = HOSTILE_OF_REQUESTS) =>
      names.map((name) => [`${what} ${name}`, texts, (text: string) => sent(name, text)] as const);
    const HEADERS = [
      ...['Prefer', 'X-Request-Id', 'traceparent', 'tracestate', 'baggage', 'Authorization', 'X-API-Key', 'Host'],
      ...['X-Tenant-Id', 'If-None-Match', 'Accept', 'Accept-Encoding', 'Accept-Language', 'Origin', 'Cookie'],
      ...['User-Agent', 'Referer', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'Forwarded', 'Range'],
      ...['Cache-Control', 'Content-Type', 'Access-Control-Request-Headers', 'Connection', 'If-Modified-Since'],
    ];
    const OF_FILES = ['Range', 'If-None-Match', 'If-Modified-Since', 'Accept', 'Accept-Encoding', 'Accept-Language'];
    const CLAIMS = ['sub', 'aud', 'scope', 'tenant', 'typ', 'kid'];
    const FIELDS = [...RECORD_FIELDS.flatMap(({ upstream }) => Object.keys(upstream)), 'Id'];
    const OF_RESPONSES = ['Content-Type', 'Content-Encoding', 'Date', 'X-Total-Count', 'Link'];
    const PARAMETERS = [
      ...['SearchTerm', 'OrderId', 'TrackingNumber', 'Status', 'FromDate', 'ToDate', 'SortBy', 'SortDirection'],
      ...['PageNumber', 'PageSize', 'Other'],
    ];
    const PATHS = ['/api/Shipping/GetShippingInfoById/', '/', '/docs/', `${DETAILS}?`];

    it.each([
      ...rows('the header', HEADERS, (name, text) => send(BY_ID, { [name]: text })),
      ...rows('of a file, the header', OF_FILES, (name, text) => send('/docs/swagger-ui.css', { [name]: text })),
      ...rows('the claim or header of a token', CLAIMS, sendToken, WITH_MARKS),
      ...rows('the field of the external system', FIELDS, receiveField, WITH_MARKS),
      ...rows('the header of the external system', OF_RESPONSES, receiveHeader),
      ...rows('the parameter', PARAMETERS, (name, text) => send(`${PAGED}?${name}=${encoded(text)}`)),
      ...rows('the name of a parameter of', [PAGED], (path, text) => send(`${path}?${encoded(text)}=1`, STRICT)),
      ...rows('the target after', PATHS, (path, text) => send(path + text), HOSTILE_OF_REQUESTS.map(visible)),
    ])('%s', async (_, texts, sent) => {
      expect(await slow(texts, sent)).toEqual([]);
    });
  });
});
