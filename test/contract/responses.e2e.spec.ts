import {
  inCamelCase,
  mappedEmptyRecord,
  mappedItem,
  mappedRecord,
  wireBody,
  wireBodyOf,
  wireItem,
  wireRecord,
} from '../../testing/upstream/records';
import { empty, json, jsonText, status, text } from '../../testing/upstream/responses';
import {
  expectProblem,
  expectResponse,
  LISTS,
  type Operation,
  OPERATIONS,
  PAGED,
  PATIENT,
  rowsFor,
  SINGLES,
  STRICT,
} from '../support/operations';
import { type HttpResponse, useScriptedService } from '../support/service';
import { titled } from '../support/titles';

const COMPLETE = 'complete';
const PARTIAL = 'partial;reason=bad-reply';
const DATE = '2026-03-14T09:26:53.000Z';

/** The first record of a response. */
function recordOf({ body }: Operation, response: HttpResponse): Record<string, unknown> {
  const value: unknown = response.json();
  const records = body === 'page' ? (value as { items: unknown }).items : value;
  return (body === 'record' ? value : (records as unknown[])[0]) as Record<string, unknown>;
}

describe('responses', () => {
  const once = { ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
  const scripted = useScriptedService({ ...once, EXTERNAL_SHIPPING_TOKEN: 'hidden-credential' });
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
      scripted.upstream.respondWith(json(wireBodyOf({ ...absent, Id: 'SHP-1' })));
      const response = await ask(operation);
      expectResponse(response, COMPLETE);
      expect(recordOf(operation, response)).toEqual(mappedEmptyRecord(operation));
    });

    it.each([
      ['created', 'Created'],
      ['IN_TRANSIT', 'InTransit'],
      ['Delivered', 'Delivered'],
      ['cancelled', 'Cancelled'],
      ['', 'Unknown'],
      ['InTransit', 'Unknown'],
      ['in-transit', 'Unknown'],
      [' created', 'Unknown'],
      ['lost at sea', 'Unknown'],
    ])('spec, status: %s is %s', async (text, name) => {
      scripted.upstream.respondWith(json(wireBodyOf(wireRecord({ Status: text }))));
      for (const operation of OPERATIONS) {
        const response = await ask(operation);
        expectResponse(response, COMPLETE);
        expect(recordOf(operation, response)).toMatchObject({ status: name, statusDescription: name });
      }
    });

    const fields = rowsFor(OPERATIONS, [
      ['spec, mapping: isActive is the negation of', { IsDeleted: true }, { isActive: false }, COMPLETE],
      ['D13 a date without a zone is UTC:', { CreatedDate: '2026-03-14T09:26:53' }, { createdDate: DATE }, COMPLETE],
      ['D19 a field of the wrong type is unknown:', { TotalWeight: 'heavy' }, { totalWeight: null }, PARTIAL],
      ['D19 a field of the wrong type is unknown:', { IsDeleted: 'no' }, { isActive: true }, PARTIAL],
      ['D19 a number where text belongs is converted:', { OrderId: 1001 }, { orderId: '1001' }, COMPLETE],
      // As old data has it, which was broken before it was stored.
      ['D19 U+FFFD is text:', { ShippingAddress: 'M\ufffdnchen' }, { shippingAddress: 'M\ufffdnchen' }, COMPLETE],
    ]);
    const titles = titled(fields, ([name, rule]) => `${name}, ${rule}`);
    it.each(titles)('%s', async (_, __, ___, sent, expected, completeness, operation) => {
      scripted.upstream.respondWith(json(wireBodyOf(wireRecord(sent))));
      const response = await ask(operation);
      expectResponse(response, completeness);
      expect(recordOf(operation, response)).toEqual(mappedRecord(operation, expected));
    });
  });

  describe('D14 paging values', () => {
    it('D14 all but the total are derived', async () => {
      scripted.upstream.respondWith(json({ Items: [wireRecord()], TotalCount: 21 }));
      const derived = { pageNumber: 3, pageSize: 7, totalPages: 3, hasPreviousPage: true, hasNextPage: false };
      expect((await ask(PAGED)).json()).toMatchObject(derived);
    });
  });

  describe('D15 errors', () => {
    it.each(SINGLES)('D15 spec, errors: $name is 500', async (operation) => {
      scripted.upstream.respondWith(json({ detail: 'hidden-credential at 127.0.0.1/shippings/' }, { status: 500 }));
      expectProblem(await ask(operation), 500, 'external-system-failed');
    });
  });

  const NO_MATCH = rowsFor(SINGLES, [
    ['404', status(404)],
    ['404 of text/html without a body', text('', { status: 404, contentType: 'text/html' })],
    ['204', empty(204)],
    ['null', jsonText('null')],
  ]);
  it.each(NO_MATCH)('D15 D18 %s: %s', async (_, __, behaviour, operation) => {
    scripted.upstream.respondWith(behaviour);
    expectProblem(await ask(operation), 404, 'shipping-not-found');
  });

  describe('D19 malformed records', () => {
    it.each(LISTS)('D19 D20 $name: records without an Id', async (operation) => {
      const records = [null, 'x', wireRecord({ Id: '' }), wireRecord({ Id: {} }), wireRecord({ TotalWeight: 'heavy' })];
      scripted.upstream.respondWith(json(wireBody({ Items: records, ShippingDetails: records })));
      const response = await ask(operation);
      expectResponse(response, PARTIAL);
      expect(response.headers['shipping-completeness']).toBe(`${PARTIAL};dropped=4`);
      const body = response.json();
      expect(operation === PAGED ? body.items : body).toEqual([mappedRecord(operation, { totalWeight: null })]);
      const recorded = [(await scripted.service.get('/metrics')).body, ...scripted.service.log].join();
      expect(recorded).not.toContain('dropped=');
    });

    it.each(SINGLES)('D19 D20 $name: so is an item that is no object', async (operation) => {
      scripted.upstream.respondWith(json(wireRecord({ ShippingItems: [7, wireItem()] })));
      const response = await ask(operation);
      expectResponse(response);
      expect(response.headers['shipping-completeness']).toBe(PARTIAL);
      expect(response.json().shippingItems).toEqual([mappedItem()]);
    });
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
