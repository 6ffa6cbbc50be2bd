import fastify, { type FastifyInstance } from 'fastify';
import { readSettings } from '../../config/settings';
import { PROBLEMS } from '../problems/problem-definitions';
import { beginRequests, type Refusal, refuseRequests } from './on-arrival';
import { requestIdOf } from './request-headers';
import { decorateRequests } from './request-record';

const STRICT = { prefer: 'handling=strict' };

/** An application with routes of each purpose. */
function appWith(refusals: readonly Refusal[] = []): FastifyInstance {
  const settings = readSettings({});
  const app = fastify({ genReqId: requestIdOf });
  decorateRequests(app, settings);
  beginRequests(app, settings);
  refuseRequests(app, refusals);
  for (const purpose of [undefined, 'docs', 'management'] as const) {
    app.get(`/${String(purpose)}`, { config: { purpose } }, ({ strict }) => ({ strict }));
  }
  return app;
}

it.each(['/undefined', '/docs', '/management', '/nowhere'])('D22 %s has the id of its request', async (url) => {
  const { headers } = await appWith().inject({ url, headers: { 'x-request-id': 'Given.1' } });
  const common = { 'cache-control': 'no-store', vary: 'Prefer, accept-encoding' };
  expect(headers).toMatchObject({ 'x-request-id': 'Given.1', ...common });
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

it('the first refusal decides, and no handler runs', async () => {
  const handled = jest.fn();
  const app = appWith([() => undefined, () => PROBLEMS.overloaded, () => PROBLEMS.routeNotFound]);
  app.get('/handled', handled);
  const { statusCode, json } = await app.inject('/handled');
  expect([statusCode, json<{ code: string }>().code, handled.mock.calls]).toEqual([503, 'overloaded', []]);
});
