import type { FastifyReply } from 'fastify';
import * as library from 'rate-limiter-flexible';
import { type AccessMetrics, RateLimiter } from './rate-limiter';

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
