import { bareServer } from '../../test/support/http-server';
import { closeConnectionsWhile } from './draining';

describe('closeConnectionsWhile', () => {
  it('D27 closes connections with their responses while the service drains', async () => {
    const server = bareServer();
    let draining = false;
    closeConnectionsWhile(server, () => draining);
    server.get('/a', () => 'a body');
    expect((await server.inject('/a')).headers.connection).toBe('keep-alive');
    draining = true;
    for (const url of ['/a', '/nowhere']) expect((await server.inject(url)).headers.connection).toBe('close');
    await server.close();
  });
});
