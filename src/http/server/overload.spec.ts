import fastifyFactory, { type FastifyInstance } from 'fastify';
import { sendProblem } from '../problems/problem.filter';
import { whileOverloaded } from './overload';

const REFUSED = ['/api/Shipping/GetShippingDetails', '/docs', '/openapi.json', '/openapi.yaml', '/problems/overloaded'];

describe('whileOverloaded', () => {
  let overloaded = false;
  const refused = jest.fn();
  let server: FastifyInstance;

  beforeAll(() => {
    server = fastifyFactory();
    const whileBusy = whileOverloaded(() => (overloaded ? 'event-loop-lag' : undefined), refused);
    server.addHook('onRequest', (request, reply, done) => {
      const problem = whileBusy(request, reply);
      if (problem === undefined) done();
      else sendProblem(reply, request, problem);
    });
    for (const path of [...REFUSED, '/health/live', '/metrics']) server.get(path, () => 'ok');
  });

  it.each([...REFUSED, '/nowhere'])('D15 D50 refuses %s with a problem, and says when to retry', async (path) => {
    overloaded = true;
    refused.mockClear();
    const response = await server.inject(path);
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1']);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.json()).toMatchObject({ status: 503, code: 'overloaded' });
    expect(refused.mock.calls).toEqual([['event-loop-lag']]);
  });

  it('lets operations pass otherwise', async () => {
    overloaded = false;
    refused.mockClear();
    expect((await server.inject('/api/Shipping/GetShippingDetails')).statusCode).toBe(200);
    expect(refused).not.toHaveBeenCalled();
  });

  it.each(['/health/live', '/metrics'])('D25 lets %s pass', async (path) => {
    overloaded = true;
    expect((await server.inject(path)).statusCode).toBe(200);
  });

  afterAll(() => server.close());
});
