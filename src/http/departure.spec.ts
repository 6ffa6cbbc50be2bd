import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Departure, departureOf, watchClients } from './departure';

describe('Departure', () => {
  it('tells each listener once, also those that leave as they are told', () => {
    const departure = new Departure();
    const listeners = [0, 1, 2].map(() => ({
      handleEvent: jest.fn(function (this: { handleEvent(): void }) {
        departure.removeEventListener('abort', this);
      }),
    }));
    for (const listener of listeners) departure.addEventListener('abort', listener);
    expect(departure.aborted).toBe(false);
    departure.announce();
    departure.announce();
    expect(departure.aborted).toBe(true);
    expect(listeners.map(({ handleEvent }) => handleEvent.mock.calls.length)).toEqual([1, 1, 1]);
  });

  it('does not tell those who listen no more', () => {
    const departure = new Departure();
    const listener = { handleEvent: jest.fn() };
    departure.addEventListener('abort', listener);
    departure.removeEventListener('abort', listener);
    departure.announce();
    expect(listener.handleEvent).not.toHaveBeenCalled();
  });
});

describe('watchClients', () => {
  let server: FastifyInstance;
  let request: FastifyRequest | undefined;
  beforeEach(async () => {
    server = fastify();
    watchClients(server);
    server.get('/answered', (incoming) => {
      request = incoming;
      return { left: departureOf(incoming).aborted };
    });
    server.get('/never', (incoming) => {
      request = incoming;
      departureOf(incoming);
      return new Promise(() => undefined);
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  it('announces a client that leaves before its answer', async () => {
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
    const [incoming] = (await once(server.server, 'request')) as [NodeJS.EventEmitter];
    // Not `once`, which takes the error of the broken connection for its own.
    const closed = new Promise((resolve) => incoming.on('close', resolve));
    socket.destroy();
    await closed;
    expect(request?.departure?.aborted).toBe(true);
  });

  it('announces nobody who was answered', async () => {
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /answered HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) answer += String(chunk);
    expect(answer).toMatch(/\{"left":false\}$/);
    expect(request?.departure?.aborted).toBe(false);
  });

  it('notes when a request came', async () => {
    const before = performance.now();
    await server.inject('/answered');
    expect(request?.arrivedAt).toBeGreaterThanOrEqual(before);
    expect(request?.arrivedAt).toBeLessThanOrEqual(performance.now());
  });
});
