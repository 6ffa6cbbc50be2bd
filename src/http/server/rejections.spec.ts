import fastify, { type HTTPMethods } from 'fastify';
import { rejectOtherMethods } from './rejections';

it('D12 a path that declares all methods needs no route for others', async () => {
  const app = fastify();
  rejectOtherMethods(app);
  const method: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  app.route({ method, url: '/all', handler: () => undefined });
  await expect(app.ready()).resolves.toBeDefined();
  await app.close();
});
