import { anyReply, inCamelCase, replyOf, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import {
  BY_ID,
  DETAILS,
  expectAnswer,
  type Operation,
  OPERATIONS,
  PATIENT,
  SINGLE,
  VALID_REQUEST_ID,
} from '../support/operations';
import { useScriptedService } from '../support/service';

describe('headers of responses', () => {
  const scripted = useScriptedService(PATIENT);
  const ask = (operation: Operation, headers?: Record<string, string>) =>
    scripted.service.request(operation.request, headers);

  describe('D22 request ids and traces', () => {
    const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

    it.each(OPERATIONS)('D22 $name takes X-Request-Id, returns it and sends it on', async (operation) => {
      const response = await ask(operation, { 'X-Request-Id': 'Given.1' });
      expect(response.headers['x-request-id']).toBe('Given.1');
      expect(scripted.upstream.calls[0]?.headers['x-request-id']).toBe('Given.1');
    });

    it.each(OPERATIONS)('D22 $name replaces an invalid X-Request-Id', async (operation) => {
      const response = await ask(operation, { 'X-Request-Id': 'not valid' });
      expect(response.headers['x-request-id']).toMatch(VALID_REQUEST_ID);
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

  it.each(['/docs/none.js', '/docs/swagger-ui.css/none'])(
    'D20 an asset that is not there, %s, is not stored',
    async (path) => {
      const { status, headers } = await scripted.service.get(path);
      expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
    },
  );

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
      scripted.upstream.respondWith(json(replyOf(wireRecord({ TotalWeight: 99 }))));
      const response = await ask(operation, { 'If-None-Match': String(etag) });
      expectAnswer(response, 'complete');
      expect(response.headers.etag).not.toBe(etag);
    });

    it.each(OPERATIONS)('D24 $name: the ETag is over the mapped body', async (operation) => {
      const { etag } = (await ask(operation)).headers;
      scripted.upstream.respondWith(json(inCamelCase(anyReply({ Undocumented: 'x' }))));
      expect((await ask(operation)).headers.etag).toBe(etag);
    });
  });
});
