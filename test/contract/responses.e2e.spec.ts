import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BY_ID, expectAnswer, expectBadInput, expectProblem, expectUnavailable, LISTS } from '../support/operations';
import { OPERATIONS, PAGED, PATIENT, SINGLES, type Operation } from '../support/operations';
import { useScriptedService, type HttpResponse } from '../support/service';
import { empty, json, jsonText, status, text } from '../../testing/upstream/responses';
import { unsafeIntegers } from '../../testing/upstream/body-faults';
import { anyReply, inCamelCase, mappedEmptyRecord, mappedItem, mappedRecord } from '../../testing/upstream/records';
import { pagedReply, wireItem, wireRecord } from '../../testing/upstream/records';

const COMPLETE = 'complete';
const PARTIAL = 'partial;reason=bad-reply';

const DOCUMENT = JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as {
  components: { schemas: { ShippingDetail: { properties: object } } };
};
/** Of the largest model; the others leave some out. */
const DOCUMENTED_FIELDS = Object.keys(DOCUMENT.components.schemas.ShippingDetail.properties);

/** An upstream response to any operation that holds just this record. */
const replyWith = (record: Record<string, unknown>) =>
  anyReply({ ...record, Items: [record], ShippingDetails: [record] });

/** The first record of a response. */
function recordOf({ body }: Operation, response: HttpResponse): Record<string, unknown> {
  const value: unknown = response.json();
  const records = body === 'page' ? (value as { items: unknown }).items : value;
  return (body === 'record' ? value : (records as unknown[])[0]) as Record<string, unknown>;
}

describe('responses', () => {
  const scripted = useScriptedService({
    ...PATIENT,
    EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
    EXTERNAL_SHIPPING_TOKEN: 'hidden-credential',
  });
  const ask = (operation: Operation, headers?: Record<string, string>) =>
    scripted.service.request(operation.request, headers);

  describe('D13 and D17: fields', () => {
    it.each(OPERATIONS)('D13 $name returns exactly the documented fields', async (operation) => {
      const response = await ask(operation);
      expectAnswer(response, COMPLETE);
      expect(recordOf(operation, response)).toEqual(mappedRecord(operation));
    });

    it.each(OPERATIONS)('D13 $name keeps the documented order of fields', async (operation) => {
      const fields = DOCUMENTED_FIELDS.filter((name) => name in mappedRecord(operation));
      expect(Object.keys(recordOf(operation, await ask(operation)))).toEqual(fields);
    });

    it.each(OPERATIONS)('D17 $name accepts the names in camelCase', async (operation) => {
      scripted.upstream.respondWith(json(inCamelCase(anyReply())));
      const response = await ask(operation);
      expectAnswer(response, COMPLETE);
      expect(recordOf(operation, response)).toEqual(mappedRecord(operation));
    });

    it.each(OPERATIONS)('D13 $name: a value that is unknown is null', async (operation) => {
      const absent = Object.fromEntries(Object.keys(wireRecord()).map((name) => [name, undefined]));
      scripted.upstream.respondWith(json(replyWith({ ...absent, Id: 'SHP-1' })));
      const response = await ask(operation);
      expectAnswer(response, COMPLETE);
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
      scripted.upstream.respondWith(json(replyWith(wireRecord({ Status: text }))));
      for (const operation of OPERATIONS) {
        const response = await ask(operation);
        expectAnswer(response, COMPLETE);
        expect(recordOf(operation, response)).toMatchObject({ status: name, statusDescription: name });
      }
    });

    it.each(OPERATIONS)('spec, mapping: $name returns isActive as the negation of IsDeleted', async (operation) => {
      scripted.upstream.respondWith(json(replyWith(wireRecord({ IsDeleted: true }))));
      expect(recordOf(operation, await ask(operation)).isActive).toBe(false);
    });

    it.each(OPERATIONS)('D13 $name: a date without a zone is UTC', async (operation) => {
      scripted.upstream.respondWith(json(replyWith(wireRecord({ CreatedDate: '2026-03-14T09:26:53' }))));
      expect(recordOf(operation, await ask(operation)).createdDate).toBe('2026-03-14T09:26:53.000Z');
    });
  });

  describe('D14 paging values', () => {
    const upstream = {
      TotalCount: 50,
      PageNumber: 2,
      PageSize: 10,
      TotalPages: 5,
      HasPreviousPage: true,
      HasNextPage: true,
    };
    const returned = {
      totalCount: 50,
      pageNumber: 2,
      pageSize: 10,
      totalPages: 5,
      hasPreviousPage: true,
      hasNextPage: true,
    };
    const pageOf = async (values: object): Promise<unknown> => {
      scripted.upstream.respondWith(json(pagedReply([wireRecord()], { ...upstream, ...values })));
      const response = await ask(PAGED);
      expectAnswer(response, COMPLETE);
      return response.json();
    };

    it('D14 come from the upstream response', async () => {
      expect(await pageOf({})).toEqual({ items: [mappedRecord(PAGED)], ...returned });
    });

    it('D14 all but the total are derived', async () => {
      scripted.upstream.respondWith(json({ Items: [wireRecord()], TotalCount: 21 }));
      expect((await ask(PAGED)).json()).toMatchObject({
        pageNumber: 3,
        pageSize: 7,
        totalPages: 3,
        hasPreviousPage: true,
        hasNextPage: false,
      });
    });

    it.each(['Items', 'TotalCount'])('D14 without a valid %s the upstream response is a failure', async (name) => {
      scripted.upstream.respondWith(json(pagedReply([wireRecord()], { ...upstream, [name]: 'x' })));
      expectUnavailable(PAGED, await ask(PAGED), 'bad-reply');
    });
  });

  describe('D15 errors', () => {
    it.each(OPERATIONS)('D15 $name: bad input names the parameter', async ({ name }) => {
      const request = name === BY_ID.name ? `${name}/-` : `${name}?OrderId=a&OrderId=b`;
      expectBadInput(await scripted.service.request(request), name === BY_ID.name ? 'id' : 'OrderId');
    });

    it.each(SINGLES)('D15 and spec, errors: $name is 404 where nothing matches', async (operation) => {
      scripted.upstream.respondWith(status(404));
      expectProblem(await ask(operation), 404, 'shipping-not-found');
    });

    it.each(SINGLES)('D15 and spec, errors: $name is 500 where the external system fails', async (operation) => {
      scripted.upstream.respondWith(json({ detail: 'hidden-credential at 127.0.0.1/shippings/' }, { status: 500 }));
      expectProblem(await ask(operation), 500, 'external-system-failed');
    });
  });

  describe('D18 no match and failures of the shape', () => {
    it.each(
      SINGLES.flatMap((operation) =>
        (
          [
            ['404', status(404)],
            ['404 of text/html without a body', text('', { status: 404, contentType: 'text/html' })],
            ['204', empty(204)],
            ['null', jsonText('null')],
          ] as const
        ).map(([kind, behaviour]) => [operation.name, kind, behaviour, operation] as const),
      ),
    )('D18 %s: %s means no match', async (_, __, behaviour, operation) => {
      scripted.upstream.respondWith(behaviour);
      expectProblem(await ask(operation), 404, 'shipping-not-found');
    });

    it.each(SINGLES)('D18 $name: an empty 200 is a failure', async (operation) => {
      scripted.upstream.respondWith(empty(200));
      expectProblem(await ask(operation), 500, 'external-system-failed');
    });
  });

  describe('D19 malformed records', () => {
    it.each(OPERATIONS)('D19 $name: a field of the wrong type is unknown', async (operation) => {
      scripted.upstream.respondWith(json(replyWith(wireRecord({ TotalWeight: 'heavy', IsDeleted: 'no' }))));
      const response = await ask(operation);
      expectAnswer(response, PARTIAL);
      expect(recordOf(operation, response)).toEqual(mappedRecord(operation, { totalWeight: null, isActive: true }));
    });

    it.each(OPERATIONS)('D19 $name: a number where text belongs is converted', async (operation) => {
      scripted.upstream.respondWith(json(replyWith(wireRecord({ OrderId: 1001 }))));
      const response = await ask(operation);
      expectAnswer(response, COMPLETE);
      expect(recordOf(operation, response).orderId).toBe('1001');
    });

    it.each(OPERATIONS)('D19 $name: a text with U+FFFD, as old data has it, is complete', async (operation) => {
      scripted.upstream.respondWith(json(replyWith(wireRecord({ ShippingAddress: 'M\ufffdnchen' }))));
      const response = await ask(operation);
      expectAnswer(response, COMPLETE);
      expect(recordOf(operation, response).shippingAddress).toBe('M\ufffdnchen');
    });

    it.each(OPERATIONS)('D19 $name: an integer beyond 2^53 is never passed on rounded', async (operation) => {
      scripted.upstream.respondWith(unsafeIntegers());
      const response = await ask(operation);
      expectAnswer(response, PARTIAL);
      expect(recordOf(operation, response).orderId).toBeNull();
      expect(response.body).not.toContain('90071992547409');
    });

    it.each(LISTS)('D19 $name: a record that is none, or has no valid Id, is dropped', async (operation) => {
      const records = [null, 'x', wireRecord({ Id: '' }), wireRecord({ Id: {} }), wireRecord()];
      scripted.upstream.respondWith(json(anyReply({ Items: records, ShippingDetails: records })));
      const response = await ask(operation);
      expectAnswer(response, PARTIAL);
      const body = response.json();
      expect(operation === PAGED ? body.items : body).toEqual([mappedRecord(operation)]);
    });

    it.each(SINGLES)('D19 $name: a record without a valid Id is a failure', async (operation) => {
      scripted.upstream.respondWith(json(wireRecord({ Id: undefined })));
      expectProblem(await ask(operation), 500, 'external-system-failed');
    });

    it.each(SINGLES)('D19 $name: an item that is no object is dropped', async (operation) => {
      scripted.upstream.respondWith(json(wireRecord({ ShippingItems: [7, wireItem()] })));
      const response = await ask(operation);
      expectAnswer(response, PARTIAL);
      expect(response.json().shippingItems).toEqual([mappedItem()]);
    });
  });
});
