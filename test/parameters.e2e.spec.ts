import * as fc from 'fast-check';
import { expectAnswer, expectBadInput, PATH_ID } from './support/expectations';
import { BY_ID, DETAILS, PAGED, SINGLE } from './support/operations';
import { startScriptedService, useScriptedService } from './support/service';
import { json } from './support/upstream/responses';

describe('D9 no input changes the host or the path of an external call', () => {
  const scripted = useScriptedService();
  const ask = (request: string) => scripted.service.request(request);

  it('D9 a percent-encoded identifier is the same one', async () => {
    expectAnswer(BY_ID, await ask('GetShippingInfoById/%53%48P%2D1'), 'complete');
    expect(scripted.upstream.calls[0]?.target).toBe('/shippings/by-id/SHP-1');
  });

  it('D9 however lax the pattern is', async () => {
    const lax = await startScriptedService({ SHIPPING_ID_PATTERN: '^[^]+$' });
    lax.upstream.respondWith(json());
    const dots = ['..', '.', '%2e%2e', '%2E'];
    for (const id of [...dots, 'a%2Fb', '..%2F..%2Fx', '%2F%2Fevil.example', '%5C..%5C', 'a%3Fb%23c', '%25']) {
      const response = await lax.service.request(`GetShippingInfoById/${id}`);
      if (dots.includes(id)) expectBadInput(response, PATH_ID);
      else expect([id, response.status]).toEqual([id, 200]);
    }
    expect(lax.upstream.calls.length).toBeGreaterThan(0);
    for (const { target } of lax.upstream.calls) expect(target).toMatch(/^\/shippings\/by-id\/[^/?#\\]+$/);
    await lax.close();
  });

  const names = ['Id', 'OrderId', 'TrackingNumber', 'Status', 'FromDate', 'ToDate', 'SearchTerm', 'Limit'];
  const pagingNames = ['PageNumber', 'PageSize', 'SortBy', 'SortDirection'];
  const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  const value = fc.oneof(
    visible.map((text) => text.replaceAll('#', '')),
    fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text)),
    fc.constantFrom('1', '2026-01-01', 'Created', 'SHP-1', '..%2F..', '//evil.example', '@evil.example', '?a=b', '%'),
  );
  const parameter = fc.tuple(fc.oneof(fc.constantFrom(...names, ...pagingNames), value), value);
  const query = fc.array(parameter).map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&'));
  const lookups = ['/shippings/single', '/shippings/details', '/shippings/paged'];

  it.each([SINGLE, DETAILS, PAGED])('no query string of $name gives a 5xx or another path', async ({ name }) => {
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { status } = await ask(`${name}?${text}`);
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 60 },
    );
    const { host } = new URL(scripted.upstream.url);
    for (const call of scripted.upstream.calls) {
      expect(lookups).toContain(call.path);
      expect([call.method, call.headers.host]).toEqual(['GET', host]);
      expect([...names, ...pagingNames]).toEqual(expect.arrayContaining([...call.params.keys()]));
    }
  });

  it('no identifier gives a 5xx or another path', async () => {
    await fc.assert(
      fc.asyncProperty(value, async (id) => {
        const { status } = await ask(`GetShippingInfoById/${id}`);
        expect([200, 400, 404]).toContain(status);
      }),
      { numRuns: 60 },
    );
    for (const { target } of scripted.upstream.calls) {
      expect(target).toMatch(/^\/shippings\/by-id\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    }
  });
});
