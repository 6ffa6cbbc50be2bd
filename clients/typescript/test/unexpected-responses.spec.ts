import { parseCompleteness } from '../src/completeness.ts';
import { parseIgnoredParameters } from '../src/ignored-parameters.ts';
import { type ShippingClient, UnexpectedAnswer } from '../src/index.ts';
import { clientWith, complete } from './support/stubbed-client.ts';

const PROBLEM = 'application/problem+json; charset=utf-8';

function text(body: string | null, status: number, contentType = 'text/plain'): Response {
  return new Response(body, { status, headers: { 'Content-Type': contentType, 'Shipping-Completeness': 'complete' } });
}

/** What no response of the service is, but what may stand between it and its client. */
describe('responses of others than the service', () => {
  const calls: readonly ((client: ShippingClient) => Promise<unknown>)[] = [
    (client) => client.getShippingSingle({ OrderId: 'ORD-1' }),
    (client) => client.getShippingInfoById('SHP-1'),
    (client) => client.getShippingDetails(),
    (client) => client.getShippingPagedList(),
  ];

  it.each<[string, Response]>([
    ['a page', text('<html>', 200, 'text/html')],
    ['JSON that does not say how complete it is', Response.json([])],
    ['JSON of an unknown completeness', complete([], 'mostly')],
    ['a partial response without a reason', complete([], 'partial')],
    ['broken JSON', text('{"items":[', 200, 'application/json')],
    ['an empty body', text('', 200, 'application/json')],
    ['null', complete(null)],
    ['another object', complete({ data: [] })],
    ['201', text('[]', 201, 'application/json')],
    ['204', text(null, 204)],
    ['304 that nobody asked for', text(null, 304)],
    ['a redirect', Response.redirect('http://service/elsewhere', 302)],
    ['404 of a proxy', text('Not Found', 404)],
    ['400 in other plain words', text('constructor', 400)],
    ['400 with more than a plain message', text('Page size must be between 1 and 100, or so', 400)],
    ['a plain message with another status', text('Page number must be greater than 0', 502)],
    ['500 without a body', text('', 500)],
    ['a problem of another service', text('{"title":"x"}', 500, PROBLEM)],
    ['a problem that is null', text('null', 500, PROBLEM)],
    ['a broken problem', text('{"code":', 500, PROBLEM)],
  ])('%s is an UnexpectedAnswer for all operations', async (_, response) => {
    const { status } = response;
    for (const call of calls) {
      const error: unknown = await call(clientWith(() => response.clone()).client).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnexpectedAnswer);
      expect(error).toMatchObject({ name: 'UnexpectedAnswer', status, message: expect.stringContaining(`${status}`) });
    }
  });

  const PAGE_WITHOUT_SIZE = { items: [], hasNextPage: false, pageNumber: 1, totalCount: 0, totalPages: 0 };
  it.each<[string, unknown, (client: ShippingClient) => Promise<unknown>]>([
    ['a record where a list belongs', { id: 'SHP-1' }, (client) => client.getShippingDetails()],
    ['a page without values', { items: [], hasNextPage: false }, (client) => client.getShippingPagedList()],
    ['a page without its size', PAGE_WITHOUT_SIZE, (client) => client.getShippingPagedList()],
    ['a list where a record belongs', [], (client) => client.getShippingInfoById('SHP-1')],
  ])('%s is an UnexpectedAnswer', async (_, body, call) => {
    const { client } = clientWith(() => complete(body));
    await expect(call(client)).rejects.toMatchObject({ name: 'UnexpectedAnswer', status: 200, requestId: 'r-1' });
  });
});

it('has the age of a body, and the request id of a problem', async () => {
  const cached = Response.json([], { headers: { 'Shipping-Completeness': 'complete', Age: '7' } });
  expect((await clientWith(() => cached).client.getShippingDetails()).ageMs).toBe(7000);
  const body = JSON.stringify({ code: 'overloaded', detail: 'Busy.', requestId: 'r-2' });
  const { client } = clientWith(() => text(body, 503, PROBLEM));
  await expect(client.getShippingDetails()).rejects.toMatchObject({ code: 'overloaded', requestId: 'r-2' });
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

  const UNKNOWN = [null, '', 'Complete', 'complete, partial', 'stale', 'partial;reason=', 'unknown;reason=bad-reply'];
  it.each(UNKNOWN)('%j is unknown', (value) => {
    expect(parseCompleteness(value)).toBeUndefined();
  });
});

it.each([
  [null, []],
  ['"color"', ['color']],
  ['"SearchTrem", "it\'s","a\\"b\\\\,;"', ['SearchTrem', "it's", 'a"b\\,;']],
  ['"a";newer;since=2026;why="x;, y", "b"', ['a', 'b']],
  ['"color', []],
  ['"a",', []],
  ['color', []],
])('parseIgnoredParameters: %s', (field, expected) => {
  expect(parseIgnoredParameters(field)).toEqual(expected);
});
