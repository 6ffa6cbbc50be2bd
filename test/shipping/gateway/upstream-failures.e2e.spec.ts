import { gzipSync } from 'node:zlib';
import * as bodies from '../../../testing/upstream/body-faults';
import * as connections from '../../../testing/upstream/connection-faults';
import { type Behaviour, responseHead } from '../../../testing/upstream/exchange';
import { wireBody, wireBodyOf, wireList, wireRecord } from '../../../testing/upstream/records';
import { bytes, chunked, empty, html, json, jsonBytes, redirect, status } from '../../../testing/upstream/responses';
import { expectDegraded, expectStrictFailure, type Reason } from '../../faults/support/fault-responses';
import { expectResponse } from '../../support/expected';
import { endWaitsWhenDue } from '../../support/held-waits';
import { failed, malformed, useCauses } from '../../support/observed-causes';
import { BY_ID, DETAILS, type Operation, OPERATIONS, PAGED, STRICT } from '../../support/operations';
import { ATTEMPT_MS, ONE_HELD_ATTEMPT } from '../../support/service';

const MAX_BYTES = 100_000;
const SECRET = 'Jane Example, Storgatan 5';
const JSON_HEADERS = { 'Content-Type': 'application/json' };
const VALID = jsonBytes(wireBody());
const TEXT = VALID.toString('latin1');
const LENGTH = `Content-Length: ${TEXT.length}\r\n`;
const { raw } = connections;
/** A response whose head is spelled out, before a valid body. */
const head = (lines: string): Behaviour =>
  raw(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${lines}\r\n${TEXT}`);
const typed = (contentType: string, body: string | Buffer, code = 200): Behaviour =>
  bytes(Buffer.isBuffer(body) ? body : Buffer.from(body, 'latin1'), { 'Content-Type': contentType }, code);

/** What the external system does, and the cause; tried on each kind of operation, unless the row names one. */
type Row = readonly [name: string, cause: string, behaviour: Behaviour, only?: Operation];
const rowsOf = (reason: Reason, prefix: string, rows: readonly Row[]) =>
  rows.map(([name, cause, behaviour, only]) => ({ name, reason, cause: prefix + cause, behaviour, only }));

const NO_PROTOCOL = 'Expected HTTP/, RTSP/ or ICE/';
const MISMATCH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
const NO_HTTP = rowsOf('bad-reply', 'no valid HTTP: ', [
  ['bytes that are no HTTP', NO_PROTOCOL, bodies.garbageBytes()],
  ['an interim 100', 'bad response', raw(`${responseHead(100)}${responseHead(200)}`)],
  ['an interim 103, then the end', 'other side closed', raw(responseHead(103))],
  ['an upgrade', 'bad upgrade', raw(responseHead(101, { Upgrade: 'x', Connection: 'Upgrade' }))],
  ['two different lengths', MISMATCH, head(`${LENGTH}Content-Length: 1\r\n`)],
  ['a status without a number', 'Invalid status code', raw('HTTP/1.1 OK\r\n\r\n')],
  ['half a header', 'other side closed', raw('HTTP/1.1 200 OK\r\nContent-Ty')],
]);

const CHUNKED = responseHead(200, { 'Transfer-Encoding': 'chunked' });
const BROKEN = rowsOf('bad-reply', 'body incomplete: ', [
  ['a chunk without a size', 'Invalid character in chunk size', raw(`${CHUNKED}zz\r\n`)],
  ['chunks that end early', 'other side closed', raw(`${CHUNKED}5\r\n{"Id`)],
  ['a reset in the middle of the body', 'ECONNRESET', connections.resetsMidBody()],
  ['a body that is closed early', 'other side closed', connections.closesEarly()],
]);

const LOST = rowsOf('upstream-unreachable', 'connection lost: ', [
  ['a reset before the status line', 'ECONNRESET', connections.resetsBeforeHeaders()],
  ['the end before the status line', 'UND_ERR_SOCKET', raw('')],
]);

const TOO_LARGE = `${MAX_BYTES} bytes (EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES)`;
const LARGE = rowsOf('bad-reply', 'larger than ', [
  ['huge headers', '16384 bytes of headers', bodies.hugeHeaders()],
  ['an oversized body', TOO_LARGE, bodies.oversized(MAX_BYTES + 1)],
  ['an endless body', TOO_LARGE, connections.endlessBody()],
  ['an oversized body of small chunks', TOO_LARGE, chunked(wireBody({ Padding: 'x'.repeat(MAX_BYTES) }), 1000)],
]);

const CONTENT = rowsOf('bad-reply', '', [
  ['a web page', 'no JSON: HTML, content type text/html', html()],
  ['a truncated gzip stream', 'content encoding gzip: Z_BUF_ERROR', bodies.truncatedGzip()],
  ['an empty body', 'body: absent', empty(200), DETAILS],
  ['another record', 'another Id than the one requested', json(wireRecord({ Id: SECRET })), BY_ID],
]);

const STATUSES = [
  ...rowsOf('upstream-error', 'status ', [
    ['status 500', '500', status(500)],
    ['status 503 with a page', '503, content type text/html', html(503)],
    ['status 503 with Retry-After', '503', status(503, { retryAfter: 7 })],
    ['a page without a status, JSON', '404', status(404), PAGED],
    ['status 503 whose body breaks off', '503, no content type', raw('HTTP/1.1 503 No\r\nContent-Length: 9\r\n\r\nx')],
  ]),
  ...rowsOf('bad-reply', 'status ', [
    ['a redirect', '302', redirect()],
    ['status 304', '304', raw('HTTP/1.1 304 Not Modified\r\n\r\n')],
  ]),
];

const TYPED_JSON = 'content type application/json';
const CODED_404 = bytes(VALID, { ...JSON_HEADERS, 'Content-Encoding': 'gzip' }, 404);
const CUT_404 = raw('HTTP/1.1 404 No\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
const PAGES = rowsOf('upstream-error', 'status 404, ', [
  ['a 404: a web page', 'content type text/html', html(404)],
  ['a 404: JSON that breaks off', TYPED_JSON, CUT_404],
  ['a 404: JSON over the limit', TYPED_JSON, typed('application/json', 'x'.repeat(MAX_BYTES + 1), 404)],
  ['a 404: JSON with a wrong coding', TYPED_JSON, CODED_404],
  ['a 404: JSON with a wrong character', TYPED_JSON, typed('application/json', '"\xe9"', 404)],
]);

const HTTP = [...NO_HTTP, ...BROKEN, ...LOST, ...LARGE];

const INCOMPLETE = `time-out: response incomplete after ${ATTEMPT_MS} ms`;
/** What lasts until the deadline of the attempt passes. */
const SILENCE: readonly (readonly [name: string, cause: string, behaviour: Behaviour])[] = [
  ['no response', `time-out: no response within ${ATTEMPT_MS} ms`, connections.neverResponds()],
  ['half a response', INCOMPLETE, connections.stallsMidBody()],
  ['a byte at a time', INCOMPLETE, connections.drips()],
];

const env = { ...ONE_HELD_ATTEMPT, EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: String(MAX_BYTES) };
const { scripted, observe, aMinutePasses } = useCauses(env);

it.each([...HTTP, ...CONTENT, ...STATUSES, ...PAGES])('D18 D21 $name', async ({ reason, cause, behaviour, only }) => {
  const { service, upstream } = scripted;
  for (const operation of only === undefined ? [PAGED, DETAILS, BY_ID] : [only]) {
    upstream.respondWith(behaviour);
    const { response, ...observed } = await observe(operation);
    expectDegraded(operation, response, reason);
    expect(observed).toEqual({ cause, spans: [cause], lines: [failed(operation, cause)] });
    expect(response.body + JSON.stringify(response.headers)).not.toContain(cause);
    // D61: only a connection that is lost before a status line is replaced.
    expect(upstream.calls).toHaveLength(reason === 'upstream-unreachable' ? 2 : 1);
    const strict = await observe(operation, STRICT);
    expectStrictFailure(strict.response, reason);
    // D21: a pause is known where the circuit is open, and where no slot is free.
    for (const { headers } of [response, strict.response]) expect(headers['retry-after']).toBeUndefined();
    expect(strict.lines).toEqual([]);
    aMinutePasses();
    expect((await observe(operation)).lines).toEqual([`${failed(operation, cause)} (2 times)`]);
    upstream.respondWith(json());
    expectResponse(await service.request(operation.request), 'complete');
    upstream.calls = [];
  }
  expect(service.log.join()).not.toContain(SECRET);
});

it.each(SILENCE)('D20 D21 D81 %s: %s', async (_, cause, behaviour) => {
  const { service, upstream } = scripted;
  for (const operation of OPERATIONS) {
    const deadlines = endWaitsWhenDue(ATTEMPT_MS, (ended) => upstream.calls.length > ended);
    upstream.respondWith(behaviour);
    const observed = await observe(operation);
    expectDegraded(operation, observed.response, 'upstream-timeout');
    expect(observed.cause).toBe(cause);
    expectStrictFailure(await service.request(operation.request, STRICT), 'upstream-timeout');
    expect(upstream.calls).toHaveLength(2);
    deadlines.mockRestore();
    upstream.respondWith(json());
    expectResponse(await service.request(operation.request), 'complete');
    upstream.calls = [];
  }
});

it('D26 a body of as many bytes as are allowed is read', async () => {
  scripted.upstream.respondWith(bodies.oversized(MAX_BYTES));
  expectResponse(await scripted.service.request(PAGED.request), 'complete');
});

it('D19 D81 a partial response names its fields', async () => {
  const TotalWeight = SECRET;
  const others = [wireRecord({ Id: 'SHP-2', TotalWeight, CreatedDate: 7 }), null];
  scripted.upstream.respondWith(json(wireList([wireRecord({ TotalWeight }), ...others])));
  const { response, ...observed } = await observe(DETAILS);
  const cause = 'TotalWeight: text (2), CreatedDate: number (1), records of the wrong type (1)';
  const lines = ['TotalWeight: text (2 times)', 'CreatedDate: number', 'records of the wrong type'];
  expect(observed).toEqual({ cause, spans: [cause], lines: lines.map((line) => malformed(DETAILS, line)) });
  expect(response.body + JSON.stringify(response.headers)).not.toContain(cause);
  expect(scripted.service.log.join()).not.toContain(SECRET);
});

it.each<[string, Behaviour]>([
  ['gzipped JSON', bytes(gzipSync('{}'), { ...JSON_HEADERS, 'Content-Encoding': 'gzip' }, 404)],
  ['an empty body with a coding', bytes(Buffer.alloc(0), { 'Content-Encoding': 'gzip' }, 404)],
])('D18 a 404 is no match: %s', async (_, behaviour) => {
  scripted.upstream.respondWith(behaviour);
  expect((await scripted.service.request(BY_ID.request)).json().code).toBe('shipping-not-found');
});

const UTF_8 = jsonBytes(wireBodyOf(wireRecord({ ShippingAddress: 'Zoë Œuvre Ы 漢 😀 \ufffd' })));
const MARKED = Buffer.concat([Buffer.from('\ufeff'), UTF_8]);
it.each(OPERATIONS)('D80 D81 $name: UTF-8 that is labelled as another charset is UTF-8', async (operation) => {
  const cause = 'UTF-8 that is labelled iso-8859-1';
  for (const sent of [MARKED, UTF_8]) {
    aMinutePasses();
    scripted.upstream.respondWith(typed('application/json; charset=ISO-8859-1', sent));
    const { response, ...observed } = await observe(operation);
    expectResponse(response, 'complete');
    expect(response.body).toContain('Zoë Œuvre Ы 漢 😀 \ufffd');
    expect(observed).toEqual({ cause, spans: [cause], lines: [`sends unusual values: ${operation.call}: ${cause}`] });
  }
});
