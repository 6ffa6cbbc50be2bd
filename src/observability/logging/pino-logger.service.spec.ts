import { Logger } from '@nestjs/common';
import { pino } from 'pino';
import { PinoLoggerService } from './pino-logger.service';

const LEVELS: [method: 'log' | 'error' | 'warn' | 'debug' | 'verbose' | 'fatal', level: string][] = [
  ['log', 'info'],
  ['error', 'error'],
  ['warn', 'warn'],
  ['debug', 'debug'],
  ['verbose', 'trace'],
  ['fatal', 'fatal'],
];

function recorder(): { service: PinoLoggerService; lines: () => Record<string, unknown>[] } {
  const written: string[] = [];
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino({ level: 'trace', base: null, timestamp: false, formatters }, { write: (s) => written.push(s) });
  return {
    service: new PinoLoggerService(logger),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

describe('PinoLoggerService', () => {
  it.each(LEVELS)('writes %s as %s, one JSON object a line', (method, level) => {
    const { service, lines } = recorder();
    service[method]('a\nmessage', 'Context');
    expect(lines()).toEqual([{ level, context: 'Context', msg: 'a\nmessage' }]);
  });

  it.each(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'])(
    'writes what %s logs about the start as debug, and its warnings as they are',
    (context) => {
      const { service, lines } = recorder();
      service.log('Mapped {/a, GET} route', context);
      service.warn('x', context);
      expect(lines().map(({ level }) => level)).toEqual(['debug', 'warn']);
    },
  );

  it('tells a stack from the context behind it', () => {
    const { service, lines } = recorder();
    service.error('failed', 'Error\n    at x', 'Context');
    expect(lines()).toEqual([{ level: 'error', context: 'Context', stack: 'Error\n    at x', msg: 'failed' }]);
  });

  it('writes what is no text', () => {
    const { service, lines } = recorder();
    service.log(42);
    service.warn(undefined, { some: 'object' }, 'Context');
    expect(lines()).toEqual([
      { level: 'info', msg: '42' },
      { level: 'warn', context: 'Context', msg: 'undefined' },
    ]);
  });

  it('carries what the framework logs', () => {
    const { service, lines } = recorder();
    Logger.overrideLogger(service);
    try {
      new Logger('Somewhere').error('failed', 'stack');
    } finally {
      Logger.overrideLogger(false);
    }
    expect(lines()).toEqual([{ level: 'error', context: 'Somewhere', stack: 'stack', msg: 'failed' }]);
  });
});
