import { expectAnswer, expectUnavailable } from './support/expectations';
import {
  BY_ID,
  DETAILS,
  type Operation,
  OPERATIONS,
  PAGED,
  parameters,
  sentParameters,
  SINGLE,
} from './support/operations';
import { RunningService, startScriptedService, useScriptedService } from './support/service';
import { json, redirect } from './support/upstream/responses';
import { ScriptedUpstream } from './support/upstream/scripted-upstream';

const ALWAYS_SENT = { PageNumber: '1', PageSize: '10', SortBy: 'CreatedDate', SortDirection: 'desc' };

/** Every parameter of the operations: what is asked, and what is sent. */
const FILTERS: readonly [name: string, asked: string, sent: string][] = [
  ['OrderId', 'ORD/1 & 2', 'ORD/1 & 2'],
  ['Status', 'intransit', 'InTransit'],
  ['FromDate', '2026-01-02T03:04:05.678+01:00', '2026-01-02T02:04:05.678Z'],
  ['ToDate', '2026-02-03', '2026-02-03T23:59:59.999Z'],
];
const SEARCH: readonly [string, string, string] = [
  'SearchTerm',
  'Göteborg a&b=c#d?e/f+g%h',
  'Göteborg a&b=c#d?e/f+g%h',
];
const OWN: readonly [Operation, Record<string, string>, (readonly [string, string, string])[]][] = [
  [SINGLE, { Id: 'SHP-9' }, [['TrackingNumber', '1Z+9', '1Z+9'], ...FILTERS]],
  [
    SINGLE,
    { OrderId: 'ORD-9' },
    [
      ['Id', 'SHP-1', 'SHP-1'],
      ['TrackingNumber', '1Z 9', '1Z 9'],
    ],
  ],
  [SINGLE, { TrackingNumber: '1Z9' }, [['Id', 'SHP-1', 'SHP-1'], ...FILTERS]],
  [DETAILS, {}, [SEARCH, ['Limit', '007', '7'], ...FILTERS]],
  [
    PAGED,
    ALWAYS_SENT,
    [
      SEARCH,
      ['PageNumber', '02', '2'],
      ['PageSize', '100', '100'],
      ['SortBy', 'TRACKINGNUMBER', 'TrackingNumber'],
      ['SortDirection', 'ASC', 'asc'],
      ...FILTERS,
    ],
  ],
];

describe('D16 requests to the external system', () => {
  const scripted = useScriptedService();

  describe('query', () => {
    const asks = async (operation: Operation, asked: Record<string, string>, sent: Record<string, string>) => {
      const query = new URLSearchParams(asked).toString();
      expectAnswer(operation, await scripted.service.request(`${operation.name}?${query}`), 'complete');
      expect(sentParameters(scripted.upstream)).toEqual(parameters(sent));
      expect(scripted.upstream.calls[0]?.path).toBe(operation.externalPath);
      // Nothing stands in the target that a URI may not have there.
      expect(scripted.upstream.calls[0]?.target).toMatch(/^[\w\-.~%/?&=+:!*'(),;@$]+$/);
    };

    it.each(
      OWN.flatMap(([operation, base, all]) =>
        all.map((one) => [operation.name, one[0], operation, base, one] as const),
      ),
    )(
      'D16 %s sends %s where it is given, and else nothing more',
      async (_, __, operation, base, [name, asked, sent]) => {
        const given = operation === PAGED ? {} : base;
        await asks(operation, { ...given, [name]: asked }, { ...base, [name]: sent });
      },
    );

    it.each(
      OWN.map(([operation, base, all]) => [operation.name, Object.keys(base)[0] ?? '', operation, base, all] as const),
    )('D16 %s sends all of them together (%s)', async (_, __, operation, base, all) => {
      const given = operation === PAGED ? {} : base;
      const asked = Object.fromEntries(all.map(([name, value]) => [name, value]));
      const sent = Object.fromEntries(all.map(([name, , value]) => [name, value]));
      await asks(operation, { ...given, ...asked }, { ...base, ...sent });
    });

    it.each([
      [SINGLE.name, 'GetShippingSingle?Id=SHP-1', '/shippings/single?Id=SHP-1'],
      [BY_ID.name, 'GetShippingInfoById/SHP-1', '/shippings/by-id/SHP-1'],
      [DETAILS.name, 'GetShippingDetails', '/shippings/details'],
      [DETAILS.name, 'GetShippingDetails?SearchTerm=&OrderId=+&Limit=', '/shippings/details'],
    ])('D16 %s for %s: absent ones are left out', async (_, request, target) => {
      await scripted.service.request(request);
      expect(scripted.upstream.calls.map((call) => call.target)).toEqual([target]);
    });

    it('D16 PagedList always sends its four', async () => {
      await scripted.service.request('GetShippingPagedList');
      expect(sentParameters(scripted.upstream)).toEqual(parameters(ALWAYS_SENT));
    });
  });

  describe('method and headers', () => {
    const HOP = ['connection', 'host'];
    const CALLERS = {
      Authorization: 'Bearer of-the-caller',
      Cookie: 'session=of-the-caller',
      Accept: 'text/html',
      'Accept-Language': 'sv',
      'User-Agent': 'Browser/1.0',
      'X-Forwarded-For': '10.0.0.1',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'for=10.0.0.1',
      Referer: 'https://app.example/secret',
      'If-None-Match': '"x"',
      'X-Custom': 'yes',
      Prefer: 'handling=strict',
    };

    it.each(OPERATIONS)('D16 $name sends exactly these headers', async ({ request }) => {
      await scripted.service.request(request, { ...CALLERS, 'X-Request-Id': 'R-1' });
      const [call] = scripted.upstream.calls;
      expect(call?.method).toBe('GET');
      expect(
        Object.keys(call?.headers ?? {})
          .filter((name) => !HOP.includes(name))
          .sort(),
      ).toEqual(['accept', 'traceparent', 'x-request-id']);
      expect(call?.headers).toMatchObject({
        accept: 'application/json',
        'x-request-id': 'R-1',
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/),
        host: new URL(scripted.upstream.url).host,
      });
    });

    it('D16 with EXTERNAL_SHIPPING_TOKEN it sends that, never the credential of the client', async () => {
      const token = 'hidden-credential-1';
      const withToken = await startScriptedService({ EXTERNAL_SHIPPING_TOKEN: token });
      withToken.upstream.respondWith(json());
      for (const { request } of OPERATIONS) await withToken.service.request(request, CALLERS);
      expect(withToken.upstream.calls.map(({ headers }) => headers.authorization)).toEqual(
        Array(4).fill(`Bearer ${token}`),
      );
      await withToken.close();
      expect(withToken.service.log.join('\n')).not.toContain(token);
    });
  });

  describe('base URL and paths', () => {
    const paths = {
      EXTERNAL_SHIPPING_SINGLE_PATH: '/v2/one',
      EXTERNAL_SHIPPING_BY_ID_PATH: '/v2/{id}/record',
      EXTERNAL_SHIPPING_DETAILS_PATH: '/v2/all',
      EXTERNAL_SHIPPING_PAGED_PATH: '/v2/pages',
    };
    const defaults = ['/shippings/single', '/shippings/by-id/SHP-1', '/shippings/details', '/shippings/paged'];
    const configured = ['/v2/one', '/v2/SHP-1/record', '/v2/all', '/v2/pages'];

    it.each<[string, string, Record<string, string>, string[]]>([
      ['without a path', '', {}, defaults],
      ['with a slash', '/', {}, defaults],
      ['with a path', '/base/v1', {}, defaults.map((path) => `/base/v1${path}`)],
      ['with a path and a slash', '/base/v1/', {}, defaults.map((path) => `/base/v1${path}`)],
      ['with an encoded path', '/a%20b', {}, defaults.map((path) => `/a%20b${path}`)],
      ['without a path, other paths', '', paths, configured],
      ['with a path and a slash, other paths', '/base/', paths, configured.map((path) => `/base${path}`)],
    ])('D16 a base URL %s', async (_, suffix, env, expected) => {
      const upstream = await ScriptedUpstream.start();
      upstream.respondWith(json());
      const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: upstream.url + suffix, ...env });
      for (const operation of OPERATIONS) expectAnswer(operation, await service.request(operation.request), 'complete');
      expect(upstream.calls.map((call) => call.path)).toEqual(expected);
      await service.close();
      await upstream.close();
    });

    it.each([
      ['credentials', 'http://user:hidden-credential@shipping.example/'],
      ['a user name', 'http://user@shipping.example/'],
      ['a query', 'http://shipping.example/?hidden-credential=1'],
      ['a fragment', 'http://shipping.example/#hidden-credential'],
      ['another scheme', 'ftp://shipping.example/hidden-credential'],
      ['no scheme', 'shipping.example/hidden-credential'],
      ['no URL', 'hidden-credential'],
    ])('D16 one with %s is refused at start, its value unsaid', async (_, baseUrl) => {
      const refusal = RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: baseUrl });
      await expect(refusal).rejects.toThrow(/EXTERNAL_SHIPPING_BASE_URL/);
      await expect(refusal).rejects.not.toThrow(/hidden-credential/);
    });

    it('D26 every fault is named, no value of a secret', async () => {
      const refusal = RunningService.start({
        EXTERNAL_SHIPPING_BASE_URL: 'http://user:hidden-credential@shipping.example/',
        EXTERNAL_SHIPPING_TOKEN: 'hidden-credential\r\nX-Injected: 1',
        EXTERNAL_SHIPPING_BY_ID_PATH: '/no/place/for/it',
        EXTERNAL_SHIPPING_TIMEOUT_MS: 'soon',
        EXTERNAL_SHIPPING_MAX_ATTEMPTS: '0',
        SHIPPING_ID_PATTERN: '(',
        LOG_LEVEL: 'loud',
      });
      const message = await refusal.then(
        () => 'started',
        (error: unknown) => String(error),
      );
      for (const name of [
        'EXTERNAL_SHIPPING_BASE_URL',
        'EXTERNAL_SHIPPING_TOKEN',
        'EXTERNAL_SHIPPING_BY_ID_PATH',
        'EXTERNAL_SHIPPING_TIMEOUT_MS',
        'EXTERNAL_SHIPPING_MAX_ATTEMPTS',
        'SHIPPING_ID_PATTERN',
        'LOG_LEVEL',
      ]) {
        expect(message).toContain(name);
      }
      expect(message).not.toContain('hidden-credential');
    });
  });

  describe('redirects and proxies', () => {
    it.each([301, 302, 303, 307, 308])('D18 %i is never followed, here or elsewhere', async (code) => {
      const elsewhere = await ScriptedUpstream.start();
      elsewhere.respondWith(json());
      const redirecting = await startScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
      for (const location of [`${elsewhere.url}/shippings/details`, '/shippings/details?again', '//evil.example/']) {
        redirecting.upstream.reset();
        redirecting.upstream.respondWith(json());
        redirecting.upstream.respondOnce(redirect(code, location));
        expectUnavailable(DETAILS, await redirecting.service.request(DETAILS.request), 'bad-reply');
        expect(redirecting.upstream.calls).toHaveLength(1);
      }
      expect(elsewhere.calls).toEqual([]);
      await redirecting.close();
      await elsewhere.close();
    });

    it('D9 proxies named by the environment are not used', async () => {
      const proxy = await ScriptedUpstream.start();
      proxy.respondWith(json());
      const before = { ...process.env };
      for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
        process.env[name] = proxy.url;
        process.env[name.toLowerCase()] = proxy.url;
      }
      process.env.NODE_USE_ENV_PROXY = '1';
      try {
        const proxied = await startScriptedService();
        proxied.upstream.respondWith(json());
        for (const operation of OPERATIONS) {
          expectAnswer(operation, await proxied.service.request(operation.request), 'complete');
        }
        expect([proxied.upstream.calls.length, proxy.calls.length]).toEqual([4, 0]);
        await proxied.close();
      } finally {
        process.env = before;
        await proxy.close();
      }
    });
  });
});
