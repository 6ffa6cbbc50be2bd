import fastify, { type FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { readSettings } from '../../config/settings';
import { PROBLEMS } from '../problems/problem-definitions';
import { beginRequests } from './on-arrival';
import { type Refusal, refuseRequests } from './refusals';
import { requestIdOf } from './request-headers';
import { RequestMetrics } from './request-log';
import { decorateRequests } from './request-record';

const STRICT = { prefer: 'handling=strict' };

/** An application with routes of each purpose. */
function appWith(refusalOfPort: Refusal = () => undefined): FastifyInstance {
  const settings = readSettings({});
  const app = fastify({ genReqId: requestIdOf });
  decorateRequests(app, settings);
  beginRequests(app, settings);
  refuseRequests(app, refusalOfPort, new RequestMetrics(new Registry()), 1);
  for (const purpose of [undefined, 'docs', 'management'] as const) {
    app.get(`/${String(purpose)}`, { config: { purpose } }, ({ strict }) => ({ strict }));
  }
  return app;
}

it.each(['/undefined', '/docs', '/management', '/nowhere'])(
  'D22 %s has the id of its request and the security headers',
  async (url) => {
    const { headers } = await appWith().inject({ url, headers: { 'x-request-id': 'Given.1' } });
    expect(headers).toMatchObject({
      'x-request-id': 'Given.1',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      vary: 'Prefer, accept-encoding',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    });
    const policy = String(headers['content-security-policy']);
    expect([policy.includes("script-src 'self'"), policy.includes('upgrade')]).toEqual([url === '/docs', false]);
    expect(headers).not.toHaveProperty('strict-transport-security');
  },
);

it('D83 a security header that a handler removes is not sent', async () => {
  const app = appWith();
  app.get('/framed', (_, reply) => reply.removeHeader('x-frame-options').send('x'));
  const { headers } = await app.inject('/framed');
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer' });
  expect(headers).not.toHaveProperty('x-frame-options');
});

it.each([
  ['/undefined', true],
  ['/docs', false],
  ['/management', false],
])('D21 %s may be strict: %p', async (url, isStrict) => {
  const { headers, json } = await appWith().inject({ url, headers: STRICT });
  expect([json<{ strict: boolean }>().strict, headers['preference-applied']]).toEqual([
    isStrict,
    isStrict ? 'handling=strict' : undefined,
  ]);
});

it('no handler runs for a request that is refused', async () => {
  const handled = jest.fn();
  const app = appWith(() => PROBLEMS.routeNotFound);
  app.get('/handled', handled);
  const { statusCode, json } = await app.inject('/handled');
  expect([statusCode, json<{ code: string }>().code, handled.mock.calls]).toEqual([404, 'route-not-found', []]);
});
