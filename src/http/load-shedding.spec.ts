import fastifyFactory, { type FastifyInstance } from 'fastify';
import { EventLoopLag, shedLoad } from './load-shedding';

describe('Lateness', () => {
  let lateness: EventLoopLag;
  let now: number;

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    lateness = new EventLoopLag();
  });
  afterEach(() => {
    lateness.stop();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  /** Lets ticks happen, each as late as told. */
  function ticks(...lateMs: number[]): void {
    for (const late of lateMs) {
      now += 100 + late;
      jest.advanceTimersByTime(100);
    }
  }

  it.each([
    ['on time', [0, 0, 3, 10], false],
    ['late once', [0, 900, 0], false],
    ['late now and then', [600, 0, 600, 0, 600], false],
    ['late for long', [501, 501], true],
    ['late by two seconds once', [2000], true],
    ['late by two seconds, then on time', [2000, 0, 0], true],
    ['late by two seconds, then on time for a second', [2000, ...Array.from({ length: 10 }, () => 0)], false],
    ['late without end', [700, 700, 700, 700, 700], true],
  ])('a loop that is %s', (_, late, overloaded) => {
    ticks(...late);
    expect(lateness.overloaded).toBe(overloaded);
  });

  it('leaves no timer behind', () => {
    lateness.stop();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('shedLoad', () => {
  const lateness = { overloaded: false, stop: jest.fn() };
  const refused = jest.fn();
  let server: FastifyInstance;

  beforeAll(() => {
    server = fastifyFactory();
    shedLoad(server, lateness, refused);
    for (const path of ['/api/Shipping/GetShippingDetails', '/health/live', '/metrics', '/docs'])
      server.get(path, () => 'ok');
  });

  it('D15 refuses operations with a problem, and says when to come back', async () => {
    lateness.overloaded = true;
    const answer = await server.inject('/api/Shipping/GetShippingDetails');
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toMatchObject({ status: 503, code: 'overloaded' });
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it('lets operations pass while the loop is on time', async () => {
    lateness.overloaded = false;
    expect((await server.inject('/api/Shipping/GetShippingDetails')).statusCode).toBe(200);
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it.each(['/health/live', '/metrics', '/docs'])('D25 lets %s pass', async (path) => {
    lateness.overloaded = true;
    expect((await server.inject(path)).statusCode).toBe(200);
  });

  it('stops with the server', async () => {
    await server.close();
    expect(lateness.stop).toHaveBeenCalled();
  });
});
