import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Settings } from '../../config/settings';
import type { LogDestination } from './log-destination';
import { createLogger, isPretty, openLog, PinoLoggerService } from './logger';

const isatty = jest.fn<boolean, []>();
jest.mock('node:tty', () => ({ ...jest.requireActual<object>('node:tty'), isatty: () => isatty() }));

it.each([
  ['auto', true, true],
  ['auto', false, false],
  ['pretty', false, true],
  ['json', true, false],
] as const)('D39 LOG_FORMAT=%s on a terminal (%p) is readable text: %p', (logFormat, isTerminal, expected) => {
  isatty.mockReturnValue(isTerminal);
  expect(isPretty({ logFormat } as Settings)).toBe(expected);
});

it.each<[NodeJS.ProcessEnv, boolean]>([
  [{ TERM: 'xterm' }, true],
  [{ TERM: 'xterm', NO_COLOR: '1' }, false],
])('D39 lines on a terminal have colours, with %p: %p', async (env, expected) => {
  isatty.mockReturnValue(true);
  jest.replaceProperty(process, 'env', env);
  // pino-pretty reads the environment when it is loaded.
  jest.resetModules();
  const log = await openLog({ logFormat: 'auto' } as Settings, new Registry());
  const format = Reflect.get(log, 'format') as (line: string) => string;
  expect(format('{"level":50,"time":1,"msg":"a"}').includes('\u001b')).toBe(expected);
});

describe('PinoLoggerService', () => {
  let lines: Record<string, unknown>[];
  const logger = new Logger('Team');
  beforeAll(() => {
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const pino = createLogger({ logLevel: 'trace' }, { write } as LogDestination);
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

  type Method = 'log' | 'error' | 'warn' | 'debug' | 'verbose' | 'fatal';
  const TAKEN = { level_: 'x', msg_: 'y' };
  it.each<[string, Method, unknown[], object[]]>([
    ['a text', 'log', ['a'], [{ level: 30, msg: 'a' }]],
    ['an object', 'log', [{ event: 'sent', count: 2 }], [{ level: 30, event: 'sent', count: 2 }]],
    ['an object without a prototype', 'log', [{ __proto__: null, b: 1 }], [{ level: 30, b: 1 }]],
    ['an object behind the text', 'log', ['a', { count: 2 }], [{ msg: 'a', count: 2 }]],
    ['two objects', 'warn', ['a', { b: 1 }, { c: 2 }], [{ level: 40, msg: 'a', b: 1, c: 2 }]],
    ['fields of the line itself', 'log', ['a', { level: 'x', msg: 'y' }], [{ level: 30, msg: 'a', ...TAKEN }]],
    ['an error', 'error', [failure()], [{ level: 50, msg: 'boom', err }]],
    ['an error behind the text', 'error', ['a', failure()], [{ msg: 'a', err }]],
    ['an error among the fields', 'fatal', ['a', { reason: failure() }], [{ level: 60, msg: 'a', reason: err }]],
    ['an error and fields', 'error', ['a', failure(), { b: 1 }], [{ msg: 'a', err, b: 1 }]],
    ['a stack', 'error', ['a', failure().stack], [{ msg: 'a', stack: expect.stringContaining('boom') }]],
    ['an error without a stack', 'error', ['a'], [{ msg: 'a', level: 50 }]],
    ['several messages', 'debug', ['a', 'b', 3], [{ level: 20, msg: 'a' }, { msg: 'b' }, { msg: '3' }]],
    ['an array', 'verbose', [['a', 1]], [{ level: 10, msg: "[ 'a', 1 ]" }]],
    ['a function', 'log', [() => 'late'], [{ msg: 'late' }]],
    ['a class', 'log', [Carrier], [{ msg: 'Carrier' }]],
    ['nothing', 'log', [undefined], [{ msg: 'undefined' }]],
  ])('D83 logs as Nest does: %s', (_, method, given, expected) => {
    Reflect.apply(logger[method], logger, given);
    expect(lines).toHaveLength(expected.length);
    expect(lines).toMatchObject(expected.map((line) => ({ context: 'Team', ...line })));
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});
