import fastify from 'fastify';
import { dropUnreadBodies } from './request-bodies';

it('a route of a team may send the body of the request as its response, also behind a hook that waits', async () => {
  const app = fastify();
  dropUnreadBodies(app);
  app.addHook('onSend', async () => new Promise((resolve) => setImmediate(resolve)));
  app.addContentTypeParser('text/csv', (_, __, done) => {
    done(null);
  });
  app.post('/echo', (request, reply) => reply.send(request.raw));
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const headers = { 'Content-Type': 'text/csv' };
  const response = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', headers, body: 'a,b' });
  expect(await response.text()).toBe('a,b');
  await app.close();
});
