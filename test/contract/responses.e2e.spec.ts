import {
  inCamelCase,
  mappedEmptyRecord,
  mappedRecord,
  wireBody,
  wireBodyOf,
  wireRecord,
} from '../../testing/upstream/records';
import { empty, json, jsonText, status } from '../../testing/upstream/responses';
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

describe('responses', () => {
  const scripted = useScriptedService({ ...ONCE, EXTERNAL_SHIPPING_TOKEN: 'hidden-credential' });
  const ask = (operation: Operation, headers?: Record<string, string>) =>
    scripted.service.request(operation.request, headers);

  describe('D13 and D17: fields', () => {
    it.each(OPERATIONS)('D13 $name has the documented fields', async (operation) => {
      const response = await ask(operation);
      expectResponse(response, COMPLETE);
      expect(recordOf(operation, response)).toEqual(mappedRecord(operation));
    });

    it.each(OPERATIONS)('D17 $name accepts the names in camelCase', async (operation) => {
      scripted.upstream.respondWith(json(inCamelCase(wireBody())));
      const response = await ask(operation);
      expectResponse(response, COMPLETE);
      expect(recordOf(operation, response)).toEqual(mappedRecord(operation));
    });

    it.each(OPERATIONS)('D13 $name: a value that is unknown is null', async (operation) => {
      const absent = Object.fromEntries(Object.keys(wireRecord()).map((name) => [name, undefined]));
      scripted.upstream.respondWith(json(wireBodyOf({ ...absent, Id: 'SHP-1', OrderId: null })));
      const response = await ask(operation);
      expectResponse(response, COMPLETE);
      expect(recordOf(operation, response)).toEqual(mappedEmptyRecord(operation));
    });
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

  describe('D21 preferences', () => {
    it.each(OPERATIONS)('D20 D21 $name: partial is 200', async (operation) => {
      scripted.upstream.respondWith(json(wireBodyOf(wireRecord({ TotalWeight: 'heavy' }))));
      for (const headers of [{}, STRICT]) {
        const response = await ask(operation, headers);
        expectResponse(response, PARTIAL);
        expect(response.headers['preference-applied']).toBe(headers === STRICT ? 'handling=strict' : undefined);
      }
    });

    it('D21 strict handling is a preference of the operations alone', async () => {
      const { headers } = await scripted.service.get('/health/live', { headers: STRICT });
      expect(headers).not.toHaveProperty('preference-applied');
      expect(headers.vary).toMatch(/\bPrefer\b/);
    });
  });
});
