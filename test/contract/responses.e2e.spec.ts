import {
  inCamelCase,
  mappedEmptyRecord,
  mappedRecord,
  wireBody,
  wireBodyOf,
  wireRecord,
} from '../../testing/upstream/records';
import { empty, json, jsonText, status, validResponse } from '../../testing/upstream/responses';
import { expectProblem, expectResponse } from '../support/expected';
import { type Operation, OPERATIONS, rowsFor, SINGLES, STRICT } from '../support/operations';
import { type HttpResponse, ONCE, useScriptedService } from '../support/service';

const COMPLETE = 'complete';
const PARTIAL = 'partial;reason=bad-reply';

/** The first record of a response. */
function recordOf({ body }: Operation, response: HttpResponse): Record<string, unknown> {
  const value: unknown = response.json();
  const records = body === 'page' ? (value as { items: unknown }).items : value;
  return (body === 'record' ? value : (records as unknown[])[0]) as Record<string, unknown>;
}

const scripted = useScriptedService({ ...ONCE, EXTERNAL_SHIPPING_TOKEN: 'hidden-credential' });
const ask = (operation: Operation, headers?: Record<string, string>) =>
  scripted.service.request(operation.request, headers);

const ABSENT = Object.fromEntries(Object.keys(wireRecord()).map((name) => [name, undefined]));
const FIELDS = rowsFor(OPERATIONS, [
  ['D13 has the documented fields', validResponse, mappedRecord],
  ['D17 accepts the names in camelCase', json(inCamelCase(wireBody())), mappedRecord],
  ['D13 unknown is null', json(wireBodyOf({ ...ABSENT, Id: 'SHP-1', OrderId: null })), mappedEmptyRecord],
]);
it.each(FIELDS)('%s: %s', async (_, __, script, expected, operation) => {
  scripted.upstream.respondWith(script);
  const response = await ask(operation);
  expectResponse(response, COMPLETE);
  expect(recordOf(operation, response)).toEqual(expected(operation));
});

it.each(SINGLES)('D15 spec, errors: $name is 500', async (operation) => {
  scripted.upstream.respondWith(json({ detail: 'hidden-credential at 127.0.0.1/shippings/' }, { status: 500 }));
  expectProblem(await ask(operation), 500, 'external-system-failed');
});

const NO_MATCH = rowsFor(SINGLES, [
  ['404', status(404)],
  ['204', empty(204)],
  ['null', jsonText('null')],
]);
it.each(NO_MATCH)('D15 D18 %s: %s', async (_, __, behaviour, operation) => {
  scripted.upstream.respondWith(behaviour);
  expectProblem(await ask(operation), 404, 'shipping-not-found');
});

it.each(OPERATIONS)('D20 D21 $name: partial is 200', async (operation) => {
  scripted.upstream.respondWith(json(wireBodyOf(wireRecord({ TotalWeight: 'heavy' }))));
  for (const headers of [{}, STRICT]) {
    const response = await ask(operation, headers);
    expectResponse(response, PARTIAL);
    expect(response.headers['preference-applied']).toBe(headers === STRICT ? 'handling=strict' : undefined);
  }
});

const OTHERS = ['/api/Shipping/GetShippingPagedList?PageNumber=0', '/nowhere', '/health/live', '/docs'];
it.each(['/api/Shipping/GetShippingPagedList', ...OTHERS])(
  'D22 %s has the id and all security headers',
  async (path) => {
    const { headers } = await scripted.service.get(path, { headers: { 'X-Request-Id': 'Given.2' } });
    expect(headers).toMatchObject({
      'x-request-id': 'Given.2',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    });
    const policy = String(headers['content-security-policy']);
    expect([policy.includes("script-src 'self'"), policy.includes('upgrade')]).toEqual([path === '/docs', false]);
    expect(headers).not.toHaveProperty('strict-transport-security');
  },
);
