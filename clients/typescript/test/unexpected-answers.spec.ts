import { bytes, empty, html, json, JSON_TYPE, redirect, text } from '../../../test/support/upstream/responses';
import type { Behaviour } from '../../../test/support/upstream/exchange';
import { ScriptedUpstream } from '../../../test/support/upstream/scripted-upstream';
import { parseCompleteness } from '../src/completeness.ts';
import { parseIgnoredParameters } from '../src/ignored-parameters.ts';
import { ShippingClient, UnexpectedAnswer } from '../src/index.ts';

const COMPLETE = { 'Shipping-Completeness': 'complete' };
const PROBLEM = 'application/problem+json; charset=utf-8';

/** What no response of the service is, but what may stand between it and its client. */
describe('responses of others than the service', () => {
  let server: ScriptedUpstream;
  let client: ShippingClient;

  beforeAll(async () => {
    server = await ScriptedUpstream.start();
    client = new ShippingClient({ baseUrl: server.url });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reset();
  });

  const calls = [
    () => client.getShippingSingle({ OrderId: 'ORD-1' }),
    () => client.getShippingInfoById('SHP-1'),
    () => client.getShippingDetails(),
    () => client.getShippingPagedList(),
  ] as const;

  const kinds: readonly [name: string, status: number, behaviour: Behaviour][] = [
    ['a page', 200, html(200)],
    ['JSON that does not say how complete it is', 200, json([])],
    ['JSON of an unknown completeness', 200, json([], { headers: { 'Shipping-Completeness': 'mostly' } })],
    ['a partial answer without a reason', 200, json([], { headers: { 'Shipping-Completeness': 'partial' } })],
    ['broken JSON', 200, text('{"items":[', { headers: COMPLETE })],
    ['an empty body', 200, bytes(Buffer.alloc(0), { ...JSON_TYPE, ...COMPLETE })],
    ['null', 200, json(null, { headers: COMPLETE })],
    ['a number', 200, json(7, { headers: COMPLETE })],
    ['another object', 200, json({ data: [] }, { headers: COMPLETE })],
    ['201', 201, json([], { status: 201, headers: COMPLETE })],
    ['204', 204, empty(204)],
    ['304 that nobody asked for', 304, empty(304)],
    ['a redirect', 302, redirect(302, '/elsewhere')],
    ['401 as a page', 401, html(401)],
    ['404 of a proxy', 404, text('Not Found', { status: 404 })],
    ['400 in other plain words', 400, text('constructor', { status: 400 })],
    ['a plain message with another status', 502, text('Page number must be greater than 0', { status: 502 })],
    ['502 as a page', 502, html(502)],
    ['500 without a body', 500, empty(500)],
    ['a problem of another service', 500, text('{"title":"x"}', { status: 500, contentType: PROBLEM })],
    ['a problem that is null', 500, text('null', { status: 500, contentType: PROBLEM })],
    ['a broken problem', 500, text('{"code":', { status: 500, contentType: PROBLEM })],
  ];
  it.each(kinds)('%s is an UnexpectedAnswer for all operations', async (_, status, behaviour) => {
    server.respondWith(behaviour);
    for (const call of calls) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnexpectedAnswer);
      expect(error).toMatchObject({ name: 'UnexpectedAnswer', status, message: expect.stringContaining(`${status}`) });
    }
    expect(server.calls.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it.each([
    ['a record where a list belongs', { id: 'SHP-1' }, () => client.getShippingDetails()],
    ['a list where a page belongs', [], () => client.getShippingPagedList()],
    ['a page without figures', { items: [], hasNextPage: false }, () => client.getShippingPagedList()],
    ['a list where a record belongs', [], () => client.getShippingInfoById('SHP-1')],
  ])('%s is an UnexpectedAnswer', async (_, value, call) => {
    server.respondWith(json(value, { headers: { ...COMPLETE, 'X-Request-Id': 'r-1' } }));
    await expect(call()).rejects.toMatchObject({ name: 'UnexpectedAnswer', status: 200, requestId: 'r-1' });
  });

  it('D4 a plain message of an older service is a problem', async () => {
    const message = 'Page number must be greater than 0';
    server.respondWith(text(message, { status: 400 }));
    await expect(client.getShippingPagedList({ PageNumber: 0 })).rejects.toMatchObject({
      name: 'ShippingProblem',
      message,
      code: 'invalid-parameters',
      errors: [{ parameter: 'PageNumber', message }],
    });
  });
});

describe('parseCompleteness', () => {
  it.each([
    ['complete', { level: 'complete' }],
    ['complete;more=1', { level: 'complete' }],
    ['complete;limit=20', { level: 'complete', limit: 20 }],
    ['complete; more=1; limit=1', { level: 'complete', limit: 1 }],
    ['complete;limit=many', { level: 'complete' }],
    ['partial;reason=bad-reply', { level: 'partial', reason: 'bad-reply' }],
    ['partial;reason=bad-reply;dropped=3', { level: 'partial', reason: 'bad-reply', dropped: 3 }],
    ['partial; dropped=many; reason=bad-reply', { level: 'partial', reason: 'bad-reply' }],
    ['stale; age=7 ; reason=upstream-timeout', { level: 'stale', reason: 'upstream-timeout' }],
    ['unavailable;reason=newer-reason', { level: 'unavailable', reason: 'newer-reason' }],
  ])('%s', (value, expected) => {
    expect(parseCompleteness(value)).toEqual(expected);
  });

  it.each([null, '', 'Complete', 'complete, partial', 'stale', 'partial;reason=', 'unknown;reason=bad-reply'])(
    '%j is unknown',
    (value) => {
      expect(parseCompleteness(value)).toBeUndefined();
    },
  );
});

describe('parseIgnoredParameters', () => {
  it.each([
    [null, []],
    ['"color"', ['color']],
    ['"SearchTrem", "it\'s","a\\"b\\\\,;"', ['SearchTrem', "it's", 'a"b\\,;']],
    ['"a";newer;since=2026;why="x;, y", "b"', ['a', 'b']],
    ['"color', []],
    ['"a",', []],
    ['color', []],
  ])('%s', (field, expected) => {
    expect(parseIgnoredParameters(field)).toEqual(expected);
  });
});
