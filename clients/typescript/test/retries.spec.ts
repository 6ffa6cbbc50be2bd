import { holdLongWaits } from '../../../test/support/held-waits';
import { ShippingProblem } from '../src/index.ts';
import { retryAfterMs } from '../src/retries.ts';
import { clientWith, complete } from './support/stubbed-client.ts';

/** A refusal of the service. */
const refusal = (status: number, retryAfter?: string): Response => {
  const body = JSON.stringify({ code: 'overloaded', detail: 'Busy.', requestId: 'r' });
  const type = { 'Content-Type': 'application/problem+json; charset=utf-8' };
  const headers = retryAfter === undefined ? type : { ...type, 'Retry-After': retryAfter };
  return new Response(body, { status, headers });
};

describe('Retry-After', () => {
  it.each([
    ['503', () => refusal(503, '0')],
    ['429', () => refusal(429, '0')],
    ['503 of a proxy', () => new Response('Busy', { status: 503, headers: { 'Retry-After': '0' } })],
    ['503 with a date', () => refusal(503, 'Wed, 21 Oct 2015 07:28:00 GMT')],
  ])('after %s the request is sent again, with headers made anew', async (_, busy) => {
    let token = 0;
    const headers = (): Record<string, string> => ({ Authorization: `Bearer ${(token += 1)}` });
    const { client, sent } = clientWith((_sent, call) => (call < 3 ? busy() : complete([])), { headers });
    expect((await client.getShippingDetails({ Limit: 3 }, { requestId: 'one' })).data).toEqual([]);
    expect(sent.map(({ url, headers }) => [url.search, headers.authorization, headers['x-request-id']])).toEqual(
      ['1', '2', '3'].map((number) => ['?Limit=3', `Bearer ${number}`, 'one']),
    );
  });

  it('has waits that are no longer than ten seconds together', async () => {
    const { waited, spy } = holdLongWaits();
    const { client, sent } = clientWith(() => refusal(503, '6'));
    await expect(client.getShippingDetails()).rejects.toBeInstanceOf(ShippingProblem);
    spy.mockRestore();
    expect({ waited, sends: sent.length }).toEqual({ waited: [6000], sends: 2 });
  });

  it('is no longer waited for once the signal is aborted', async () => {
    const controller = new AbortController();
    const added = jest.spyOn(controller.signal, 'addEventListener');
    const removed = jest.spyOn(controller.signal, 'removeEventListener');
    jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
    const { client } = clientWith(() => refusal(503, '6'));
    const ended = expect(client.getShippingDetails({}, { signal: controller.signal })).rejects.toBe('enough');
    await jest.advanceTimersByTimeAsync(1000);
    expect(jest.getTimerCount()).toBe(1);
    controller.abort('enough');
    await ended;
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  const [FAR, ENDLESS] = [refusal(503, '99999999'), { maxRetryWaitMs: Infinity }];
  it.each([
    { times: 'at most twice by default', after: refusal(503, '0'), sends: 3, waitMs: 0 },
    { times: 'as often as is allowed', after: refusal(503, '0'), options: { maxRetries: 4 }, sends: 5, waitMs: 0 },
    { times: 'within the allowed time', after: refusal(503, '0'), options: { maxRetryWaitMs: 0 }, sends: 3, waitMs: 0 },
    { times: 'never where none is allowed', after: refusal(503, '0'), options: { maxRetries: 0 }, sends: 1, waitMs: 0 },
    { times: 'never for no number', after: refusal(503, '0'), options: { maxRetries: NaN }, sends: 1, waitMs: 0 },
    { times: 'never beyond ten seconds', after: refusal(503, '11'), sends: 1, waitMs: 11_000 },
    { times: 'never beyond it', after: refusal(503, '1'), options: { maxRetryWaitMs: 999 }, sends: 1, waitMs: 1000 },
    { times: 'never where no timer runs so long', after: FAR, options: ENDLESS, sends: 1, waitMs: 99_999_999_000 },
    { times: 'never after 503 without it', after: refusal(503), sends: 1 },
    { times: 'never after 500', after: refusal(500, '0'), sends: 1, waitMs: 0 },
    { times: 'never after 400', after: refusal(400, '0'), sends: 1, waitMs: 0 },
  ])('a request is sent again $times', async ({ after, options, sends, waitMs }) => {
    const { client, sent } = clientWith(() => after.clone(), options);
    const error: unknown = await client.getShippingDetails().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ShippingProblem);
    expect(error).toMatchObject({ status: after.status, code: 'overloaded', retryAfterMs: waitMs });
    expect(sent).toHaveLength(sends);
  });

  const NONE = ['', '-1', '1.5', '1e3', '0x10', 'soon', 'Mon, soon', '2026-07-01', '12 13'];
  it.each<[string, number?]>([
    ['7', 7000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
    ...NONE.map((none): [string, undefined] => [none, undefined]),
  ])('%j is %p ms', (value, expected) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 1));
    expect(retryAfterMs({ headers: new Headers({ 'Retry-After': value }) })).toBe(expected);
  });
});
