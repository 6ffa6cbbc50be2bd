import { Logger } from '@nestjs/common';
import type { Settings } from '../../config/settings';
import type { LogDestination } from './log-destination';
import { createLogger, PinoLoggerService } from './logger';

describe('PinoLoggerService', () => {
  let lines: Record<string, unknown>[];
  const logger = new Logger('Team');
  beforeAll(() => {
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const pino = createLogger({ logLevel: 'trace' } as Settings, { write } as LogDestination);
    Logger.overrideLogger(new PinoLoggerService(pino));
  });
  afterAll(() => {
    Logger.overrideLogger(false);
  });
  beforeEach(() => {
    lines = [];
  });

  class Carrier {}
  const failure = (): Error => Object.assign(new TypeError('boom', { cause: new Error('why') }), { config: 'secret' });
  const err = { type: 'TypeError', message: 'boom', stack: expect.stringMatching(/^TypeError: boom\n\s+at [^]*why\n/) };

  it.each<[string, () => void, object[]]>([
    ['a text', () => { logger.log('a'); }, [{ level: 30, msg: 'a' }]],
    ['an object', () => { logger.log({ event: 'sent', count: 2 }); }, [{ level: 30, event: 'sent', count: 2 }]],
    ['an object behind the text', () => { logger.log('a', { count: 2 }); }, [{ msg: 'a', count: 2 }]],
    ['two objects', () => { logger.warn('a', { b: 1 }, { c: 2 }); }, [{ level: 40, msg: 'a', b: 1, c: 2 }]],
    ['fields of the line itself', () => { logger.log('a', { level: 'x', msg: 'y' }); }, [{ level: 30, msg: 'a', level_: 'x', msg_: 'y' }]],
    ['an error', () => { logger.error(failure()); }, [{ level: 50, msg: 'boom', err }]],
    ['an error behind the text', () => { logger.error('a', failure()); }, [{ msg: 'a', err }]],
    ['an error among the fields', () => { logger.fatal('a', { reason: failure() }); }, [{ level: 60, msg: 'a', reason: err }]],
    ['an error and fields', () => { logger.error('a', failure(), { b: 1 }); }, [{ msg: 'a', err, b: 1 }]],
    ['a stack', () => { logger.error('a', failure().stack); }, [{ msg: 'a', stack: expect.stringContaining('boom') }]],
    ['an error without a stack', () => { logger.error('a'); }, [{ msg: 'a', level: 50 }]],
    ['several messages', () => { logger.debug('a', 'b', 3); }, [{ level: 20, msg: 'a' }, { msg: 'b' }, { msg: '3' }]],
    ['an array', () => { logger.verbose(['a', 1]); }, [{ level: 10, msg: "[ 'a', 1 ]" }]],
    ['a function', () => { logger.log(() => 'late'); }, [{ msg: 'late' }]],
    ['a class', () => { logger.log(Carrier); }, [{ msg: 'Carrier' }]],
    ['nothing', () => { logger.log(undefined); }, [{ msg: 'undefined' }]],
    ['a context of its own', () => { Logger.log('a', 'Other'); }, [{ msg: 'a', context: 'Other' }]],
  ])('D83 logs as Nest does: %s', (_, log, expected) => {
    log();
    expect(lines).toHaveLength(expected.length);
    expect(lines).toMatchObject(expected.map((line) => ({ context: 'Team', ...line })));
    expect(JSON.stringify(lines)).not.toContain('secret');
  }); // prettier-ignore
});
