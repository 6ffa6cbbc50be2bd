import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectAnswer, expectBadInput, expectProblem, expectUnavailable } from '../support/expectations';
import type { HttpResponse } from '../support/http-client';
import { BY_ID, DETAILS, LISTS, OPERATIONS, PAGED, SINGLE, SINGLES, type Operation } from '../support/operations';
import { RunningService, useScriptedService } from '../support/service';
import { empty, json, jsonText, status } from '../support/upstream/responses';
import { unsafeIntegers } from '../support/upstream/body-faults';
import {
  anyReply,
  inCamelCase,
  mappedEmptyRecord,
  mappedItem,
  mappedRecord,
  pagedReply,
  wireItem,
  wireRecord,
} from '../support/upstream/records';
import { PATIENT } from '../support/patient';

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

    // The request is for page 3 of 7 records each.
    it.each([
      ['PageNumber', undefined, { pageNumber: 3 }],
      ['PageSize', '10', { pageSize: 7 }],
      ['TotalPages', -1, { totalPages: 5 }],
      ['TotalPages', 1.5, { totalPages: 5 }],
      ['HasPreviousPage', null, { hasPreviousPage: true }],
      ['HasNextPage', 'no', { hasNextPage: true }],
    ])('D14 %s %j is derived', async (name, value, derived) => {
      expect(await pageOf({ [name]: value })).toMatchObject({ ...returned, ...derived });
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

  describe('D16 calls to the external system', () => {
    it.each(OPERATIONS)('D16 $name: method, path and headers', async (operation) => {
      await ask(operation, { Cookie: 'a=1', Authorization: 'Bearer of-the-client', 'X-Request-Id': 'R-1' });
      const { method, path, headers } = scripted.upstream.calls[0] ?? {};
      expect([method, path]).toEqual(['GET', operation.externalPath]);
      expect(headers).toEqual({
        host: new URL(scripted.upstream.url).host,
        connection: expect.any(String),
        accept: 'application/json',
        'x-request-id': 'R-1',
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/),
        authorization: 'Bearer hidden-credential',
      });
    });

    it.each(['', '/'])('D16 a base URL with a path and "%s", and other paths', async (slash) => {
      const env = {
        ...PATIENT,
        EXTERNAL_SHIPPING_BASE_URL: `${scripted.upstream.url}/legacy${slash}`,
        EXTERNAL_SHIPPING_SINGLE_PATH: '/one',
        EXTERNAL_SHIPPING_BY_ID_PATH: '/one/{id}/all',
        EXTERNAL_SHIPPING_DETAILS_PATH: '/all',
        EXTERNAL_SHIPPING_PAGED_PATH: '/page',
      };
      const service = await RunningService.start(env);
      for (const { request } of OPERATIONS) await service.request(request);
      await service.close();
      expect(scripted.upstream.calls.map(({ path }) => path)).toEqual(
        ['/one', '/one/SHP-1/all', '/all', '/page'].map((path) => `/legacy${path}`),
      );
    });

    it.each(['http://user:hidden@127.0.0.1', 'http://127.0.0.1?a=1', 'http://127.0.0.1#a', 'ftp://127.0.0.1'])(
      'D16 the base URL %s is refused at start',
      async (url) => {
        const start = RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: url });
        await expect(start).rejects.toThrow('EXTERNAL_SHIPPING_BASE_URL');
      },
    );
  });

  describe('D18 no match and failures of the shape', () => {
    it.each(
      SINGLES.flatMap((operation) =>
        (
          [
            ['404', status(404)],
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

  describe('D22 request ids and traces', () => {
    const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

    it.each(OPERATIONS)('D22 $name takes X-Request-Id, returns it and sends it on', async (operation) => {
      const response = await ask(operation, { 'X-Request-Id': 'Given.1' });
      expect(response.headers['x-request-id']).toBe('Given.1');
      expect(scripted.upstream.calls[0]?.headers['x-request-id']).toBe('Given.1');
    });

    it.each(OPERATIONS)('D22 $name replaces an invalid X-Request-Id', async (operation) => {
      const response = await ask(operation, { 'X-Request-Id': 'not valid' });
      expect(response.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
      expect(scripted.upstream.calls[0]?.headers['x-request-id']).toBe(response.headers['x-request-id']);
    });

    it.each(OPERATIONS)('D22 $name continues a valid traceparent', async (operation) => {
      await ask(operation, { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
      expect(scripted.upstream.calls[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    });

    it.each(['/api/Shipping/GetShippingPagedList?PageNumber=0', '/nowhere', '/health/live', '/docs'])(
      'D22 %s returns X-Request-Id too',
      async (path) => {
        const response = await scripted.service.get(path, { headers: { 'X-Request-Id': 'Given.2' } });
        expect(response.headers['x-request-id']).toBe('Given.2');
      },
    );
  });

  it.each([SINGLE, BY_ID, DETAILS])('D23 $name has no links', async (operation) => {
    expect((await ask(operation)).headers.link).toBeUndefined();
  });

  describe('D24 conditional requests', () => {
    it.each(OPERATIONS)('D24 $name: If-None-Match with the ETag is 304', async (operation) => {
      const { etag } = (await ask(operation)).headers;
      expect(etag).toMatch(/^(W\/)?"[!#-~]+"$/);
      for (const tags of [`"other", ${String(etag)}`, '*']) {
        const response = await ask(operation, { 'If-None-Match': tags });
        expect([response.status, response.body, response.headers.etag]).toEqual([304, '', etag]);
      }
    });

    it.each(OPERATIONS)('D24 $name: another body has another ETag', async (operation) => {
      const { etag } = (await ask(operation)).headers;
      scripted.upstream.respondWith(json(replyWith(wireRecord({ TotalWeight: 99 }))));
      const response = await ask(operation, { 'If-None-Match': String(etag) });
      expectAnswer(response, COMPLETE);
      expect(response.headers.etag).not.toBe(etag);
    });

    it.each(OPERATIONS)('D24 $name: the ETag is over the mapped body', async (operation) => {
      const { etag } = (await ask(operation)).headers;
      scripted.upstream.respondWith(json(inCamelCase(anyReply({ Undocumented: 'x' }))));
      expect((await ask(operation)).headers.etag).toBe(etag);
    });
  });
});
