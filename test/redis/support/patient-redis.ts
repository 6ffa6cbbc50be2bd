import type * as ioredis from 'ioredis';

const actual = jest.requireActual<typeof ioredis>('ioredis');

/**
 * Replaces `ioredis`, so that a busy machine does not look like a Redis that hangs: connections wait for Redis much longer than
 * those of the service, but for suites with {@link serviceTimeouts}.
 */
const PATIENCE_MS = 10_000;
let isPatient = true;

/** In a suite: connections wait for Redis as long as those of the service do. */
export function serviceTimeouts(): void {
  beforeAll(() => {
    isPatient = false;
  });
  afterAll(() => {
    isPatient = true;
  });
}

/** A Redis Cluster whose nodes are waited for as {@link Redis} is. */
export class Cluster extends actual.Cluster {
  constructor(nodes: ioredis.ClusterNode[], { redisOptions, ...options }: ioredis.ClusterOptions = {}) {
    const patience = isPatient ? { commandTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS } : {};
    super(nodes, { ...options, redisOptions: { ...redisOptions, ...patience, replyMapping: 'legacy' } });
  }
}

/** How many reads have waited for Redis in vain. */
export const vainWaits = { reads: 0 };

/** The client of the service. */
export class Redis extends actual.Redis {
  constructor(url: string, options: ioredis.RedisOptions & { replyMapping?: 'legacy' } = {}) {
    super(url, isPatient ? { ...options, commandTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS } : options);
  }

  override sendCommand(...[command, stream]: Parameters<ioredis.Redis['sendCommand']>): unknown {
    command.promise.catch((error: unknown) => {
      if (command.name === 'getrange' && String(error).includes('Command timed out')) vainWaits.reads += 1;
    });
    return super.sendCommand(command, stream);
  }
}
