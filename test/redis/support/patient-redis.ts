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

/** How many reads have waited for Redis in vain. */
export const vainWaits = { reads: 0 };

/** The client of the service, which gives options; tests give a URL. */
export class Redis extends actual.Redis {
  constructor(given: string | (ioredis.RedisOptions & { replyMapping?: 'legacy' })) {
    if (typeof given === 'string') super(given);
    else super({ ...given, commandTimeout: isPatient ? PATIENCE_MS : given.commandTimeout });
  }

  override sendCommand(...[command, stream]: Parameters<ioredis.Redis['sendCommand']>): unknown {
    command.promise.catch((error: unknown) => {
      if (command.name === 'getrange' && String(error).includes('Command timed out')) vainWaits.reads += 1;
    });
    return super.sendCommand(command, stream);
  }
}
