import { inCamelCase, wireBody, wireBodyOf, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { BY_ID, DETAILS, expectResponse, type Operation, OPERATIONS, PATIENT, SINGLE } from '../support/operations';
import { useScriptedService } from '../support/service';

describe('headers of responses', () => {
  const scripted = useScriptedService(PATIENT);
  const ask = (operation: Operation, headers?: Record<string, string>) =>
    scripted.service.request(operation.request, headers);

  describe('D22 request ids', () => {
    it.each(OPERATIONS)('D22 $name sends X-Request-Id on', async (operation) => {
      for (const given of ['Given.1', 'not valid']) {
        const { headers } = await ask(operation, { 'X-Request-Id': given });
        const id: unknown = given === 'Given.1' ? given : expect.stringMatching(/^[A-Za-z0-9._-]{1,64}$/);
        expect([given, headers['x-request-id']]).toEqual([given, id]);
        expect(scripted.upstream.calls.at(-1)?.headers['x-request-id']).toBe(headers['x-request-id']);
      }
    });

    it.each(['/api/Shipping/GetShippingPagedList?PageNumber=0', '/nowhere', '/health/live', '/docs'])(
      'D22 %s',
      async (path) => {
        const response = await scripted.service.get(path, { headers: { 'X-Request-Id': 'Given.2' } });
        expect(response.headers['x-request-id']).toBe('Given.2');
      },
    );
  });

  it.each(['/docs/none.js', '/docs/swagger-ui.css/none'])('D20 no asset: %s is not stored', async (path) => {
    const { status, headers } = await scripted.service.get(path);
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it.each([SINGLE, BY_ID, DETAILS])('D23 $name has no links', async (operation) => {
    expect((await ask(operation)).headers.link).toBeUndefined();
  });

  describe('D24 conditional requests', () => {
    it.each(OPERATIONS)('D24 $name: another body has another ETag', async (operation) => {
      const { etag } = (await ask(operation)).headers;
      scripted.upstream.respondWith(json(wireBodyOf(wireRecord({ TotalWeight: 99 }))));
      const response = await ask(operation, { 'If-None-Match': String(etag) });
      expectResponse(response, 'complete');
      expect(response.headers.etag).not.toBe(etag);
    });

    it.each(OPERATIONS)('D24 $name: the ETag is over the mapped body', async (operation) => {
      const { etag } = (await ask(operation)).headers;
      scripted.upstream.respondWith(json(inCamelCase(wireBody({ Undocumented: 'x' }))));
      expect((await ask(operation)).headers.etag).toBe(etag);
    });
  });
});
