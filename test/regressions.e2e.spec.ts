import { RawConnection } from './faults/support/raw-connection';
import { useScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import { pageFiles } from './support/page-files';

/** What somebody who knew the contract alone found wrong, kept as cases. */
describe('reported by reviewers', () => {
  const ORIGIN = 'https://app.example';
  const scripted = useScriptedService({ CORS_ORIGINS: `${ORIGIN},https://other.example` });

  const options = (path: string, headers: Record<string, string>): ReturnType<typeof scripted.service.get> =>
    scripted.service.get(path, { method: 'OPTIONS', headers });
  const PATH = '/api/Shipping/GetShippingDetails';
  const PREFLIGHT = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET', 'X-Request-Id': 'REQ-1' };

  it.each([
    ['neither header', {}],
    ['an origin alone', { Origin: ORIGIN }],
    ['a method alone', { 'Access-Control-Request-Method': 'GET' }],
  ])('D12 OPTIONS with %s is no preflight, and 405', async (_, headers) => {
    const answer = await options(PATH, headers);
    expect([answer.status, answer.headers.allow, answer.json().code]).toEqual([405, 'GET, HEAD', 'method-not-allowed']);
  });

  it('D12 D21 D22 a preflight has the headers of all responses', async () => {
    const { status, body, headers } = await options(PATH, PREFLIGHT);
    expect([status, body, headers['x-request-id']]).toEqual([204, '', 'REQ-1']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': expect.stringContaining('Prefer'),
    });
    expect(headers.vary?.split(', ').sort()).toEqual(['Origin', 'Prefer', 'accept-encoding']);
  });

  it('D12 a preflight of another origin allows nothing, and one of no route is 404', async () => {
    const foreign = await options(PATH, { ...PREFLIGHT, Origin: 'https://evil.example' });
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
    expect((await options('/nope', PREFLIGHT)).status).toBe(404);
  });

  it('D23 links that are too long are left out', async () => {
    const short = await scripted.service.request(`GetShippingPagedList?foo=${'a'.repeat(1500)}`);
    expect(short.headers.link).toContain('rel="first"');
    const long = await scripted.service.request(`GetShippingPagedList?foo=${'"'.repeat(6000)}`);
    expect([long.status, long.headers.link]).toEqual([200, undefined]);
  });

  it.each([
    ['D5', 'GetShippingDetails?Status=UN%E2%84%AANOWN', 400],
    ['D1', 'GetShippingSingle?trac%E2%84%AAingNumber=T-1', 400],
  ])('%s the Kelvin sign is no k: %s', async (_, request, status) => {
    expect((await scripted.service.request(request)).status).toBe(status);
  });

  it('D8 the Kelvin sign is no k in a sort key', async () => {
    scripted.upstream.reset();
    scripted.upstream.respondWith(json());
    await scripted.service.request('GetShippingPagedList?SortBy=Trac%E2%84%AAingNumber&SortDirection=asc');
    expect(scripted.upstream.calls[0]?.query).toContain('SortBy=CreatedDate&SortDirection=desc');
  });

  it('D15 climbing out of the files of the Swagger page is a problem of its own', async () => {
    const files = pageFiles(await scripted.service.get('/docs'));
    const answer = await scripted.service.get(`${files}%2e%2e/package.json`);
    expect([answer.status, answer.json().code]).toEqual([404, 'route-not-found']);
  });

  it('a request that announces a body gets one response, and its connection is closed', async () => {
    const connection = await RawConnection.to(scripted.service.url);
    const answers = await connection
      .send('GET /health/live HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\npart')
      .receivesAll();
    expect(answers.map(({ status }) => status)).toEqual([200]);
    expect(answers[0]?.headers.connection).toEqual(['close']);
  });
});
