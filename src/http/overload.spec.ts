import fastifyFactory, { type FastifyInstance } from 'fastify';
import { refuseWhile } from './overload';

describe('refuseWhile', () => {
  let overloaded = false;
  const refused = jest.fn();
  let server: FastifyInstance;

  beforeAll(() => {
    server = fastifyFactory();
    refuseWhile(server, () => overloaded, refused);
    for (const path of ['/api/Shipping/GetShippingDetails', '/health/live', '/metrics', '/docs'])
      server.get(path, () => 'ok');
  });

  it('D15 refuses operations with a problem, and says when to retry', async () => {
    overloaded = true;
    const response = await server.inject('/api/Shipping/GetShippingDetails');
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1']);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.json()).toMatchObject({ status: 503, code: 'overloaded' });
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it('lets operations pass otherwise', async () => {
    overloaded = false;
    expect((await server.inject('/api/Shipping/GetShippingDetails')).statusCode).toBe(200);
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it.each(['/health/live', '/metrics', '/docs'])('D25 lets %s pass', async (path) => {
    overloaded = true;
    expect((await server.inject(path)).statusCode).toBe(200);
  });

  afterAll(() => server.close());
});
