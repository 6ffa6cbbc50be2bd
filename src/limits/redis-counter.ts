import type { RateLimitSettings } from '../config/settings';
import type { RedisLink } from './redis-link';
import type { Quota, QuotaCounter } from './quota';

const PREFIX = 'shipping-query-service:rate-limit:';

/**
 * A window is a hash of its count and of when it began, which tells it from the next one of the same caller. Nothing is
 * written before `HSET`: a Redis that is full refuses only the first write of a script. (-1: what is there never expires.)
 */
const TAKE = `
local ttl = redis.call('PTTL', KEYS[1])
if ttl <= 0 then
  local time = redis.call('TIME')
  local began = time[1] .. '.' .. time[2]
  if ttl == -1 then redis.call('DEL', KEYS[1]) end
  redis.call('HSET', KEYS[1], 'count', 1, 'began', began)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {1, 1, tonumber(ARGV[2]), began}
end
local count = tonumber(redis.call('HGET', KEYS[1], 'count'))
if count >= tonumber(ARGV[1]) then return {0, count, ttl, ''} end
redis.call('HINCRBY', KEYS[1], 'count', 1)
return {1, count + 1, ttl, redis.call('HGET', KEYS[1], 'began')}
`;

const GIVE_BACK = `
if redis.call('HGET', KEYS[1], 'began') == ARGV[1] then redis.call('HINCRBY', KEYS[1], 'count', -1) end
`;

/** Counts in Redis, so that all replicas count together. While Redis does not answer, nobody can tell. */
export class RedisCounter implements QuotaCounter {
  constructor(
    private readonly settings: RateLimitSettings,
    private readonly link: RedisLink,
  ) {}

  async take(caller: string): Promise<Quota | undefined> {
    const { max, windowMs } = this.settings;
    const key = PREFIX + caller;
    const answer = await this.link.run((redis) => redis.eval(TAKE, 1, key, max, windowMs));
    if (answer === undefined) return undefined;
    const [granted, count, resetMs, began] = answer as [number, number, number, string];
    return {
      granted: granted === 1,
      remaining: Math.max(0, max - count),
      resetMs,
      giveBack: () => {
        if (granted === 1) void this.link.run((redis) => redis.eval(GIVE_BACK, 1, key, began));
      },
    };
  }
}
