import { expectAnswer, expectUnavailable } from './support/expectations';
import { BY_ID, DETAILS, LISTS, type Operation, OPERATIONS, SINGLE } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import { json, status } from './support/upstream/responses';
import { anyReply, inCamelCase, wireRecord } from './support/upstream/records';

const ETAG = /^(W\/)?"[\x21\x23-\x7e]+"$/;

describe('D24 conditional requests', () => {
  let scripted: ScriptedService;

  beforeAll(async () => {
    scripted = await startScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
  });
  afterAll(() => scripted.close());
  beforeEach(() => {
    scripted.upstream.reset();
    scripted.upstream.respondWith(json());
  });

  const tagOf = async (operation: Operation, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await scripted.service.request(operation.request, headers);
    expectAnswer(operation, answer, 'complete');
    expect(answer.headers.etag).toMatch(ETAG);
    return String(answer.headers.etag);
  };

  it.each(OPERATIONS)('D24 $name: the ETag changes with the body only', async (operation) => {
    const tag = await tagOf(operation);
    expect(await tagOf(operation)).toBe(tag);
    const other = wireRecord({ TotalWeight: 99 });
    scripted.upstream.respondWith(json(anyReply({ ...other, Items: [other], ShippingDetails: [other] })));
    expect(await tagOf(operation)).not.toBe(tag);
  });

  it.each(OPERATIONS)(
    'D24 $name: the ETag is that of the mapped body, not of the upstream response',
    async (operation) => {
      const tag = await tagOf(operation);
      scripted.upstream.respondWith(json(inCamelCase(anyReply({ Unknown: 'more' }))));
      expect(await tagOf(operation)).toBe(tag);
    },
  );

  type Condition = readonly [name: string, condition: (tag: string) => string];
  const opaque = (tag: string): string => tag.replace(/^W\//, '');
  const matching: Condition[] = [
    ['the tag', (tag) => tag],
    ['the tag, called weak', (tag) => `W/${opaque(tag)}`],
    ['the tag, called strong', opaque],
    ['a list', (tag) => `"other", ${tag}, "third"`],
    ['a list without spaces', (tag) => `"a,b",${tag}`],
    ['any', () => '*'],
  ];
  it.each(
    OPERATIONS.flatMap((operation) => matching.map((condition) => [operation.name, ...condition, operation] as const)),
  )('D24 %s: If-None-Match with %s gives 304', async (_, __, condition, operation) => {
    const tag = await tagOf(operation);
    for (const method of ['GET', 'HEAD']) {
      const answer = await scripted.service.get(`/api/Shipping/${operation.request}`, {
        method,
        headers: { 'If-None-Match': condition(tag) },
      });
      expect([answer.status, answer.body, answer.headers.etag]).toEqual([304, '', tag]);
      expect(answer.headers['x-request-id']).toMatch(/./);
      expect(answer.headers.vary).toMatch(/\bPrefer\b/);
      expect(answer.headers['cache-control']).toBe('private, no-cache');
      expect(answer.headers['shipping-completeness']).toBe('complete');
      // RFC 9110, 8.6: not even a length of 0, which would be the one of the 200.
      for (const name of ['content-type', 'content-length', 'transfer-encoding']) {
        expect([name, answer.headers[name]]).toEqual([name, undefined]);
      }
    }
  });

  const others: Condition[] = [
    ['another tag', () => '"other"'],
    ['a part of the tag', (tag) => `${opaque(tag).slice(0, -2)}"`],
    ['the tag unquoted', (tag) => opaque(tag).replaceAll('"', '')],
    ['the tag inside another', (tag) => `"x${opaque(tag).slice(1)}`],
    ['nothing', () => ''],
    ['nonsense', () => 'W/'],
  ];
  it.each(others)('D24 If-None-Match with %s gives 200', async (_, condition) => {
    const tag = await tagOf(DETAILS);
    expectAnswer(
      DETAILS,
      await scripted.service.request(DETAILS.request, { 'If-None-Match': condition(tag) }),
      'complete',
    );
  });

  it.each(OPERATIONS)('D20 $name: a partial response has no ETag and is never 304', async (operation) => {
    const odd = wireRecord({ TotalWeight: 'heavy' });
    scripted.upstream.respondWith(json(anyReply({ ...odd, Items: [odd], ShippingDetails: [odd] })));
    const answer = await scripted.service.request(operation.request, { 'If-None-Match': '*' });
    expectAnswer(operation, answer, 'partial;reason=bad-reply');
  });

  it.each(LISTS)('D20 $name: an unavailable response has no ETag and is never 304', async (operation) => {
    scripted.upstream.respondWith(status(500));
    expectUnavailable(
      operation,
      await scripted.service.request(operation.request, { 'If-None-Match': '*' }),
      'upstream-error',
    );
  });

  it.each([
    ['no match', 404, BY_ID.request],
    ['a bad parameter', 400, 'GetShippingDetails?Limit=0'],
    ['a plain message', 400, 'GetShippingPagedList?PageNumber=0'],
    ['no criteria', 400, 'GetShippingSingle'],
  ])('D20 %s (%i) is not to be stored, whatever If-None-Match says', async (_, code, request) => {
    scripted.upstream.respondWith(status(404));
    const { status: answered, headers } = await scripted.service.request(request, { 'If-None-Match': '*' });
    expect([answered, headers['cache-control'], headers.etag]).toEqual([code, 'no-store', undefined]);
  });

  it('D20 without CACHE_STALE_IF_ERROR_MS nothing is stale', async () => {
    await tagOf(DETAILS);
    scripted.upstream.respondWith(status(500));
    expectUnavailable(DETAILS, await scripted.service.request(DETAILS.request), 'upstream-error');
    expect((await scripted.service.request(SINGLE.request)).status).toBe(500);
  });
});
