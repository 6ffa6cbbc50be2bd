import type { FastifyReply, FastifyRequest } from 'fastify';
import * as library from 'rate-limiter-flexible';
import { plainReply } from '../../test/support/plain-reply';
import { useHeldDate } from '../../test/support/wall-clock';
import { type AccessMetrics, clientOf, failuresOf, RateLimiter } from './rate-limiter';

/** A limiter that counts two clients in memory instead of 100,000, so that the test can exceed their number. */
jest.mock('lru-cache', () => {
  const { LRUCache } = jest.requireActual<typeof import('lru-cache')>('lru-cache');
  class Small extends LRUCache<string, true> {
    constructor(options: { max: number }) {
      super({ ...options, max: Math.ceil(options.max / 50_000) });
    }
  }
  return { LRUCache: Small };
});

it('D32 clients in memory are bounded: the one that made no request for longest starts anew', async () => {
  const limiter = new RateLimiter(library, { max: 1, windowMs: 60_000 }, {} as AccessMetrics);
  const reply = { header: () => reply } as unknown as FastifyReply;
  const isCounted = async (client: string): Promise<boolean> =>
    (await limiter.consume(client, reply).catch(() => 'refused')) === undefined;
  for (const client of ['stays', 'goes', 'stays', 'new']) await isCounted(client);
  expect([await isCounted('stays'), await isCounted('goes')]).toEqual([false, true]);
});

describe('D32 the limit of a client', () => {
  const holdDate = useHeldDate();
  let limiter: RateLimiter;
  beforeEach(() => {
    holdDate();
    limiter = new RateLimiter(library, { max: 2, windowMs: 1500 }, {} as AccessMetrics);
  });

  /** Whether a request passes, and the header fields of its response. */
  async function outcome(): Promise<unknown[]> {
    const { reply, headers } = plainReply();
    const thrown = await limiter.consume('client', reply).catch((error: unknown) => error);
    return [(thrown as { definition?: object } | undefined)?.definition ?? 'passes', headers()];
  }
  const fields = (left: number, seconds: number): object => {
    return { 'RateLimit-Policy': '"default";q=2;w=2', RateLimit: `"default";r=${left};t=${seconds}` };
  };
  const refused = (seconds: number): unknown[] => {
    const definition: unknown = expect.objectContaining({ status: 429, code: 'rate-limit-exceeded' });
    return [definition, { ...fields(0, seconds), 'Retry-After': String(seconds) }];
  };

  it('is told with each response, and ends with its window, rounded up to whole seconds', async () => {
    for (const left of [1, 0]) expect(await outcome()).toEqual(['passes', fields(left, 2)]);
    expect(await outcome()).toEqual(refused(2));
    jest.setSystemTime(Date.now() + 1999);
    expect(await outcome()).toEqual(refused(1));
    jest.setSystemTime(Date.now() + 1);
    expect(await outcome()).toEqual(['passes', fields(1, 2)]);
  });
});

it.each([
  [['10.0.0.1', '192.0.2.1'], '192.0.2.1'],
  [['10.0.0.1', '192.0.2.1:555'], '192.0.2.1'],
  [['10.0.0.1', '[2001:db8::1]:80'], '8193:3512:0:0'],
  [['10.0.0.1', '[2001:DB8:0:1::1]'], '8193:3512:0:1'],
  [['10.0.0.1', '[::ffff:192.0.2.1]:80'], '192.0.2.1'],
  [['127.0.0.1', '10.0.0.1:443', 'nonsense'], '10.0.0.1'],
  [['127.0.0.1', '10.0.0.1:80', 'unknown', 'fe80::1%eth-0 x'], '10.0.0.1'],
])('D46 the client of %j is %s', (ips, address) => {
  const requestOf = (user?: object) => ({ ips, user }) as unknown as FastifyRequest;
  expect([clientOf(requestOf()), failuresOf(requestOf())]).toEqual([`address ${address}`, `failures ${address}`]);
  expect([clientOf(requestOf({ id: 'key a' })), clientOf(requestOf({}))]).toEqual(['key a', `address ${address}`]);
});
