import { holdLongWaits } from '../../../test/support/held-waits';
import { json, text } from '../../../test/support/upstream/responses';
import type { Behaviour } from '../../../test/support/upstream/exchange';
import { ScriptedUpstream } from '../../../test/support/upstream/scripted-upstream';
import { holdWallClock } from '../../../test/support/wall-clock';
import { ShippingClient, ShippingProblem, type ShippingClientOptions } from '../src/index.ts';
import { retryAfterMs } from '../src/retry-after.ts';

const EMPTY = json([], { headers: { 'Shipping-Completeness': 'complete' } });
const inPast = new Date(Date.now() - 60_000).toUTCString();

/** A refusal as the service words it. */
const refusal = (code: number, retryAfter?: string): Behaviour =>
  text(JSON.stringify({ code: 'overloaded', detail: 'Busy.', requestId: 'r' }), {
    status: code,
    contentType: 'application/problem+json; charset=utf-8',
    headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  });

describe('Retry-After', () => {
  let server: ScriptedUpstream;
  const clientWith = (options: Partial<ShippingClientOptions> = {}): ShippingClient =>
    new ShippingClient({ baseUrl: server.url, ...options });

  beforeAll(async () => {
    server = await ScriptedUpstream.start();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reset();
    server.respondWith(EMPTY);
  });

  it.each([
    ['503', refusal(503, '0')],
    ['429', refusal(429, '0')],
    ['503 of a proxy', text('Busy', { status: 503, headers: { 'Retry-After': '0' } })],
    ['503 with a date', refusal(503, inPast)],
  ])('%s is asked again, with the headers asked for again', async (_, busy) => {
    server.enqueue(busy, busy);
    let token = 0;
    const headers = (): Record<string, string> => ({ Authorization: `Bearer ${++token}` });
    const answer = await clientWith({ headers }).getShippingDetails({ Limit: 3 }, { requestId: 'one' });
    expect(answer.data).toEqual([]);
    expect(server.calls.map(({ target, headers }) => [target, headers.authorization, headers['x-request-id']])).toEqual(
      ['1', '2', '3'].map((number) => ['/api/Shipping/GetShippingDetails?Limit=3', `Bearer ${number}`, 'one']),
    );
  });

  it('waits as long as Retry-After says', async () => {
    server.enqueue(refusal(503, '1'));
    const { waited, restore } = holdLongWaits();
    await clientWith().getShippingDetails();
    restore();
    expect(waited).toContain(1_000);
    expect(server.calls).toHaveLength(2);
  });

  it.each([
    ['at most twice by default', {}, 3],
    ['as often as is allowed', { maxRetries: 4 }, 5],
    ['never where that is not allowed', { maxRetries: 0 }, 1],
    ['never where what is allowed is no number', { maxRetries: NaN }, 1],
  ])('asks again %s', async (_, options, calls) => {
    server.respondWith(refusal(503, '0'));
    await expect(clientWith(options).getShippingDetails()).rejects.toMatchObject({ status: 503, retryAfterMs: 0 });
    expect(server.calls).toHaveLength(calls);
  });

  it.each([
    ['longer than is allowed by default', {}, '11'],
    ['longer than is allowed', { maxRetryWaitMs: 999 }, '1'],
    ['longer than a timer can run', { maxRetryWaitMs: Infinity }, '99999999'],
  ])('does not wait %s, and tells how long it would have been', async (_, options, seconds) => {
    server.respondWith(refusal(503, seconds));
    const error: unknown = await clientWith(options)
      .getShippingDetails()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ShippingProblem);
    expect(error).toMatchObject({ status: 503, code: 'overloaded', retryAfterMs: Number(seconds) * 1000 });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['503 that does not say when', refusal(503)],
    ['503 that says nonsense', refusal(503, 'soon')],
    ['500 that says when', refusal(500, '0')],
    ['400 that says when', refusal(400, '0')],
  ])('a %s is final', async (_, behaviour) => {
    server.respondWith(behaviour);
    await expect(clientWith().getShippingDetails()).rejects.toBeInstanceOf(ShippingProblem);
    expect(server.calls).toHaveLength(1);
  });

  describe('reading it', () => {
    const read = (value: string): number | undefined =>
      retryAfterMs(new Response(null, { headers: { 'Retry-After': value } }));

    it('a date, never before now', () => {
      holdWallClock();
      jest.setSystemTime(Date.UTC(2026, 0, 1));
      expect(read(new Date(Date.now() + 60_000).toUTCString())).toBe(60_000);
      expect(read(new Date(Date.now() - 1_000).toUTCString())).toBe(0);
      jest.useRealTimers();
    });

    it.each(['', '-1', '1.5', '1e3', '0x10', 'soon', 'Mon', 'Mon, soon', '2026-07-01', '12 13'])(
      '%j is none',
      (value) => {
        expect(read(value)).toBeUndefined();
      },
    );
  });
});
