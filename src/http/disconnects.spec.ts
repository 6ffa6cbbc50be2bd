import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { ClientDisconnect, disconnectOf, trackDisconnects } from './disconnects';

describe('ClientDisconnect', () => {
  it('notifies each listener once, also those that remove themselves meanwhile', () => {
    const disconnect = new ClientDisconnect();
    const listeners = [0, 1, 2].map(() => ({
      handleEvent: jest.fn(function (this: { handleEvent(): void }) {
        disconnect.removeEventListener('abort', this);
      }),
    }));
    for (const listener of listeners) disconnect.addEventListener('abort', listener);
    expect(disconnect.aborted).toBe(false);
    disconnect.notify();
    disconnect.notify();
    expect(disconnect.aborted).toBe(true);
    expect(listeners.map(({ handleEvent }) => handleEvent.mock.calls.length)).toEqual([1, 1, 1]);
  });

  it('does not notify listeners that were removed', () => {
    const disconnect = new ClientDisconnect();
    const listener = { handleEvent: jest.fn() };
    disconnect.addEventListener('abort', listener);
    disconnect.removeEventListener('abort', listener);
    disconnect.notify();
    expect(listener.handleEvent).not.toHaveBeenCalled();
  });
});

describe('trackDisconnects', () => {
  let server: FastifyInstance;
  let request: FastifyRequest | undefined;
  beforeEach(async () => {
    server = fastify();
    trackDisconnects(server);
    server.get('/responds', (incoming) => {
      request = incoming;
      return { disconnected: disconnectOf(incoming).aborted };
    });
    server.get('/never', (incoming) => {
      request = incoming;
      disconnectOf(incoming);
      return new Promise(() => undefined);
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  it('reports a client that disconnects before its response', async () => {
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
    const [incoming] = (await once(server.server, 'request')) as [NodeJS.EventEmitter];
    // Not `once`, which takes the error of the broken connection for its own.
    const closed = new Promise((resolve) => incoming.on('close', resolve));
    socket.destroy();
    await closed;
    expect(request?.disconnect?.aborted).toBe(true);
  });

  it('reports no disconnect after the response', async () => {
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /responds HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let response = '';
    for await (const chunk of socket.setEncoding('utf8')) response += String(chunk);
    expect(response).toMatch(/\{"disconnected":false\}$/);
    expect(request?.disconnect?.aborted).toBe(false);
  });

  it('records when a request arrived', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(42.5);
    await server.inject('/responds');
    clock.mockRestore();
    expect(request?.arrivedAt).toBe(42.5);
  });
});
