import { eventually } from '../../../testing/upstream/eventually';
import { cacheStatusOf, expectResponse } from '../../support/expected';
import { LittleRedis } from '../../support/little-redis';
import { OPERATIONS } from '../../support/operations';
import { RunningService } from '../../support/service';
import { useStarted, useUpstream } from '../../support/started';

const upstream = useUpstream();
const redis = useStarted(() => LittleRedis.start());
const service = useStarted(() =>
  RunningService.start({
    EXTERNAL_SHIPPING_BASE_URL: upstream().url,
    REDIS_URL: String(redis().address()),
    CACHE_TTL_MS: '60000',
    RATE_LIMIT_MAX: '1000',
  }),
);

beforeAll(() => eventually('Redis is available', () => service().messages('Redis is available').length, 1));

const REPLIES = {
  'a null': '$-1\r\n',
  'a null list': '*-1\r\n',
  'no text': '$0\r\n\r\n',
  'another text': '$3\r\nabc\r\n',
  'a line': '+OK\r\n',
  'an integer': ':1\r\n',
  'an empty list': '*0\r\n',
  'a list of texts': '*2\r\n$1\r\na\r\n$1\r\nb\r\n',
  'a list of nulls': '*2\r\n$-1\r\n$-1\r\n',
  'an error': '-WRONGTYPE Operation against a key holding the wrong kind of value\r\n',
};

it.each(Object.entries(REPLIES))(
  'D75 D32 any reply of Redis that means nothing is a miss and no count: %s',
  async (_, reply) => {
    Object.assign(redis().responses, { getrange: reply, evalsha: reply, eval: reply, get: reply });
    for (const { request } of OPERATIONS) {
      const response = await service().request(request);
      expectResponse(response, 'complete');
      expect(cacheStatusOf(response)).toBe('fwd=miss');
      expect(response.headers.ratelimit).toMatch(/^"default";r=\d+;t=\d+$/);
    }
    expect(redis().commands.some((command) => command.startsWith('getrange '))).toBe(true);
    expect(redis().commands.some((command) => command.startsWith('eval'))).toBe(true);
  },
);
