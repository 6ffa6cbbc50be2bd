import type * as ioredis from 'ioredis';

const actual = jest.requireActual<typeof ioredis>('ioredis');

/**
 * Replaces `ioredis` in suites where a busy machine must not look like a Redis that hangs: while `commandTimeout` is set,
 * new connections wait that many milliseconds for Redis instead of the 75 of the service.
 */
export const patience: { commandTimeout: number | undefined } = { commandTimeout: undefined };

/** How many reads have waited for Redis in vain. */
export const vainWaits = { reads: 0 };

/** The client of the service, which gives options; tests give a URL. */
export class Redis extends actual.Redis {
  constructor(given: string | (ioredis.RedisOptions & { replyMapping?: 'legacy' })) {
    if (typeof given === 'string') super(given);
    else super({ ...given, commandTimeout: patience.commandTimeout ?? given.commandTimeout });
  }

  override sendCommand(...[command, stream]: Parameters<ioredis.Redis['sendCommand']>): unknown {
    command.promise.catch((error: unknown) => {
      if (command.name === 'getrange' && String(error).includes('Command timed out')) vainWaits.reads += 1;
    });
    return super.sendCommand(command, stream);
  }
}
