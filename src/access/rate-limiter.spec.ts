import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as fc from 'fast-check';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { readSettings } from '../config/settings';
import { ProblemException } from '../http/problems/problem';
import type { AccessMetrics } from './access.metrics';
import { RateLimiter } from './rate-limiter';
import { anyText } from '../../test/support/any-text';

/** Two clients instead of 100,000. */
jest.mock('lru-cache', () => {
  const { LRUCache } = jest.requireActual<typeof import('lru-cache')>('lru-cache');
  class Small extends LRUCache<string, true> {
    constructor(options: { max: number }) {
      super({ ...options, max: options.max / 50_000 });
    }
  }
  return { LRUCache: Small };
});

const requestFrom = (ip: string, ...proxies: unknown[]): FastifyRequest =>
  ({ ip, ...(proxies.length > 0 && { ips: [...proxies, ip] }) }) as unknown as FastifyRequest;

async function limiterOf(max: number, windowMs = 1000): Promise<RateLimiter> {
  const settings = readSettings({ RATE_LIMIT_MAX: String(max), RATE_LIMIT_WINDOW_MS: String(windowMs) });
  return RateLimiter.create(settings, {} as AccessMetrics, undefined);
}

/** Counts one request: its headers, and the error where it is refused. */
async function consume(limiter: RateLimiter, client: string): Promise<{ headers: object; error: unknown }> {
  const headers: Record<string, string> = {};
  const reply = { header: (name: string, value: string) => ((headers[name] = value), reply) };
  const counted = limiter.consume(client, reply as unknown as FastifyReply);
  return { headers, error: await counted.catch((error: unknown) => error) };
}

describe('RateLimiter', () => {
  it('bounds the clients that it counts: the one that made no request for longest starts anew', async () => {
    const limiter = await limiterOf(1, 60_000);
    await consume(limiter, 'stays');
    await consume(limiter, 'goes');
    await consume(limiter, 'stays');
    await consume(limiter, 'new');
    expect((await consume(limiter, 'stays')).error).toBeInstanceOf(ProblemException);
    expect((await consume(limiter, 'goes')).error).toBeUndefined();
  });

  it('throws an error of the counter that is no refusal', async () => {
    const counter = new RateLimiterMemory({ points: 1, duration: 1 });
    const error = new Error('lost');
    jest.spyOn(counter, 'consume').mockRejectedValue(error);
    expect((await consume(new RateLimiter({ max: 1, windowMs: 1000 }, counter), 'a')).error).toBe(error);
  });

  it('is created only where there is a limit', async () => {
    await expect(RateLimiter.create(readSettings({}), {} as AccessMetrics, undefined)).rejects.toThrow(
      'There is no rate limit',
    );
  });
});

describe('addressOf', () => {
  let limiter: RateLimiter;
  beforeAll(async () => {
    limiter = await limiterOf(1);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:DB8:1:2:ffff::1', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
  ])('the client at %s is %s', (ip, address) => {
    const parts = address.includes(':') ? address.split(':').map((part) => String(parseInt(part, 16))).join(':') : address; // prettier-ignore
    expect(limiter.addressOf(requestFrom(ip))).toBe(parts);
  });

  it('another /64 network is another client', () => {
    const [first, same, other] = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:3::1'].map((ip) => limiter.addressOf(requestFrom(ip))); // prettier-ignore
    expect([same === first, other === first]).toEqual([true, false]);
  });

  it.each(['', 'unknown', '1:80', '[192.0.2.1:80', '999.1.1.1', '0x7f.1', '_hidden', '2001:db8::g'])(
    'D46 a trusted proxy that forwards %j is the client, and only the first is logged',
    async (garbage) => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      const own = await limiterOf(1);
      expect(own.addressOf(requestFrom(garbage, '192.0.2.8', '192.0.2.9:5'))).toBe('192.0.2.9');
      expect(own.addressOf(requestFrom(garbage, '192.0.2.8'))).toBe('192.0.2.8');
      expect(warn).toHaveBeenCalledTimes(1);
    },
  );

  it('D46 never throws for any X-Forwarded-For', () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const addresses = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended());
    const withPort = fc.tuple(addresses, fc.nat()).map(([address, port]) => `[${address}]:${port}`);
    const texts = fc.oneof(anyText(), addresses, withPort);
    const proxies = fc.array(fc.constantFrom('192.0.2.9', '::1', undefined), { maxLength: 2 });
    fc.assert(
      fc.property(texts, proxies, (ip, chain) => {
        expect(limiter.addressOf(requestFrom(ip, ...chain))).toMatch(/^[\d.:]+$/);
      }),
    );
  });
});
