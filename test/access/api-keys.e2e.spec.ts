import { bearer } from '../../testing/key-server';
import { expectBadInput, expectPlainMessage, expectProblem, expectResponse } from '../support/expected';
import type { HttpResponse } from '../support/http-client';
import { DETAILS, PAGED } from '../support/operations';
import { BEARER_CHALLENGE, digestOf, expectCause, expectRefused, INVALID_TOKEN, useGuardedService } from './access';

const [KEY, ...OTHER_KEYS] = ['first-key-0123456789', 'second-key-0123456789'] as const;
const LATIN = 'caf\u00e9-key-0123456789';
const DIGESTS = [...[KEY, ...OTHER_KEYS].map(digestOf), digestOf(LATIN).toUpperCase()];
const KEY_CHALLENGE = 'ApiKey realm="shipping-query-service"';

describe('D76 API keys and scopes', () => {
  const guarded = useGuardedService({
    AUTH_API_KEYS_SHA256: ` ${DIGESTS.join(' , ')},`,
    AUTH_SCOPE: 'shipping.read  orders.read',
  });
  const both = `${BEARER_CHALLENGE}, ${KEY_CHALLENGE}`;
  const ask = (headers: Record<string, string> = {}, request = DETAILS.request): Promise<HttpResponse> =>
    guarded.service.request(request, headers);

  it.each([
    [200, { scope: 'shipping.read orders.read' }],
    [403, { scope: 'shipping.read' }],
  ])('%i for a token with %j', async (status, claims) => {
    const response = await ask(bearer(await guarded.keyServer.sign(claims)));
    if (status === 200) expectResponse(response, 'complete');
    else {
      expectProblem(response, status, 'insufficient-scope');
      await expectCause(guarded.service, response, 'scope');
    }
    const challenge = `${BEARER_CHALLENGE}, error="insufficient_scope", scope="shipping.read orders.read"`;
    expect(response.headers['www-authenticate']).toBe(status === 200 ? undefined : challenge);
  });

  it('accepts each of the keys, without a scope', async () => {
    for (const key of [KEY, ...OTHER_KEYS, Buffer.from(LATIN).toString('latin1')]) {
      const response = await ask({ 'X-API-Key': key });
      expectResponse(response, 'complete');
      expect(response.headers.vary).toMatch(/(^|, )X-API-Key$/);
    }
    const refused = await ask();
    expectRefused(refused, 'authentication-required', both);
    expect(refused.json().detail).toMatch(/: send the header Authorization: Bearer <token> or X-API-Key: <key>\.$/);
    expect(refused.headers.vary).toMatch(/(^|, )X-API-Key$/);
  });

  it.each([
    ['the digest', digestOf(KEY)],
    ['a part', KEY.slice(1)],
    ['both', [KEY, ...OTHER_KEYS].join(', ')],
    ['a long one', 'x'.repeat(10_000)],
  ])('refuses %s', async (_, key) => {
    const refused = await ask({ 'X-API-Key': key });
    expectRefused(refused, 'invalid-credentials', both);
    await expectCause(guarded.service, refused, 'unknown API key');
  });

  it('one valid credential is enough; a key sent twice is invalid', async () => {
    const token = bearer(await guarded.keyServer.sign({ scope: 'shipping.read orders.read' }));
    const wrong = { 'X-API-Key': 'wrong' };
    expect((await ask({ ...bearer('a.b.c'), 'X-API-Key': KEY })).status).toBe(200);
    expect((await ask({ ...token, ...wrong })).status).toBe(200);
    expectRefused(await ask({ 'X-API-Key': '' }), 'authentication-required', both);
    const challenges = `${INVALID_TOKEN}, ${KEY_CHALLENGE}`;
    expectRefused(await ask({ ...bearer('a.b.c'), ...wrong }), 'invalid-credentials', challenges);
    const options = { headers: { 'X-API-Key': [KEY, KEY] } };
    const twice = await guarded.service.get(`/api/Shipping/${DETAILS.request}`, options);
    expectRefused(twice, 'invalid-credentials', both);
  });

  const OPERATION = [
    ...['/api/Shipping/GetShippingDetails', '/API/SHIPPING/GETSHIPPINGDETAILS', '/api/shipping/getshippingdetails/'],
    ...['/%61pi/Shipping/GetShippingDetails', '/api/%53hipping/GetShippingDetails'],
    ...['%73', 's/?Limit=1', 's?'].map((end) => `/api/Shipping/GetShippingDetail${end}`),
    ...['', '/', '/SHP-1/', '/%53HP-1', '/%2e%2e', '/..%2fx'].map((id) => `/api/Shipping/GetShippingInfoById${id}`),
    ...['http://other.example/api/Shipping/GetShippingDetails', '///API/Shipping/getshippingdetails//'],
    ...['/api/shipping//GetShippingDetails', '//api/Shipping/GetShippingDetails'],
    '/api//Shipping///GetShippingInfoById//SHP-1',
  ];
  const UNDECODABLE = [
    ...['/api/Shipping/GetShippingInfoById/%zz', '/api/Shipping/GetShippingInfoById/%ff'],
    ...['/API/shipping/getshippinginfobyid/%zz', '/%zz/api/Shipping/GetShippingDetails'],
  ];
  const NOT_SERVED = [
    ...['/api/./Shipping/GetShippingDetails', '/docs/../api/Shipping/GetShippingDetails', '/api/Shipping'],
    ...['/health/..%2fapi/Shipping/GetShippingDetails', '/api/Shipping%2fGetShippingDetails'],
    ...['/api/Shipping/GetShippingDetails;a=b', '/api/Shipping/GetShippingDetails%00'],
    ...['/api\\Shipping\\GetShippingDetails', '/api/Shipping/GetShippingDetails%20'],
  ];
  const spellings: [string, string[], (method: string) => number[]][] = [
    ['an operation', OPERATION, (method) => (['GET', 'HEAD'].includes(method) ? [401] : [405])],
    ['what cannot be decoded', UNDECODABLE, () => [400]],
    ['what is not served', NOT_SERVED, () => [400, 403, 404, 405]],
  ];

  it.each(spellings)('no spelling of %s avoids authentication', async (_, paths, allowed) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const path of paths) {
        const { status } = await guarded.service.get(path, { method });
        expect({ method, path, allowed: allowed(method) }).toMatchObject({ allowed: expect.arrayContaining([status]) });
      }
    }
    expect(guarded.upstream.calls).toEqual([]);
  });

  it.each([
    ...['GetShippingPagedList?PageNumber=0', 'GetShippingDetails?Status=No', 'GetShippingDetails?OrderId=%zz'],
    ...['GetShippingSingle', 'GetShippingInfoById/..x', 'GetShippingInfoById/'],
  ])('D7 %s is 400 for authenticated clients only', async (request) => {
    expectProblem(await ask({}, request), 401, 'authentication-required');
    const response = await ask({ 'X-API-Key': KEY }, request);
    if (request.startsWith(PAGED.name)) expectPlainMessage(response, 'PageNumber');
    else expectBadInput(response);
  });

  const SENT: Record<string, string>[] = [{}, { 'X-API-Key': KEY }, { 'X-API-Key': 'wrong' }];
  it.each(SENT)('D7 D12 a bad path is 400, another method 405: %j', async (headers) => {
    expectBadInput(await ask(headers, 'GetShippingInfoById/%zz'), 'path', /percent-encoded UTF-8/);
    const response = await guarded.service.get(`/api/Shipping/${DETAILS.request}`, { method: 'POST', headers });
    expectProblem(response, 405);
    expect(response.headers).toMatchObject({ allow: 'GET, HEAD', vary: expect.stringMatching(/, X-API-Key$/) });
  });

  it('probes, metrics and documents are public', async () => {
    const paths = ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/openapi.yaml', '/problems'];
    for (const path of paths) expect({ path, ...(await guarded.service.get(path)) }).toMatchObject({ status: 200 });
    expect((await guarded.service.get('/')).status).toBe(302);
  });

  it('D39 keys and tokens are not logged', async () => {
    const token = await guarded.keyServer.sign();
    for (const key of [KEY, 'guessed-key']) await ask({ 'X-API-Key': key });
    for (const sent of [token, `${token}x`]) await ask(bearer(sent));
    const log = guarded.service.log.join('\n');
    expect(log).toContain('"status":401');
    for (const secret of [KEY, digestOf(KEY), 'guessed-key', ...token.split('.')]) expect(log).not.toContain(secret);
  });
});
