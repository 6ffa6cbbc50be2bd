import { pino } from 'pino';
import { loadPrettyLine } from './pretty-line';

let prettyLine: (json: string) => string;

beforeAll(async () => {
  prettyLine = await loadPrettyLine();
});

/** What is written for what is logged, without the time. */
function written(log: (logger: pino.Logger) => void): string[] {
  const texts: string[] = [];
  log(pino({ level: 'trace' }, { write: (line: string) => texts.push(prettyLine(line)) }));
  for (const text of texts) expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] .*\n$/s);
  return texts.map((text) => text.slice(11));
}

const REQUEST = { method: 'GET', route: '/api/Shipping/GetShippingPagedList', status: 200, requestId: 'R-1' };

describe('D39 a line on a terminal', () => {
  it('shows a request by method, route, status, duration and completeness', () => {
    const line = { ...REQUEST, trace_id: 'a', span_id: 'b', completeness: 'complete;limit=1', durationMs: 4.9017 };
    expect(
      written((logger) => {
        logger.info(line, 'request');
      }),
    ).toEqual(['INFO: GET /api/Shipping/GetShippingPagedList 200 4.9 ms complete;limit=1 (R-1)\n']);
  });

  it('shows the code and the reason of a problem', () => {
    const problem = { problem: 'external-system-failed', reason: 'upstream-timeout', durationMs: 2000 };
    expect(
      written((logger) => {
        logger.warn({ ...REQUEST, status: 504, ...problem }, 'request');
      }),
    ).toEqual([
      'WARN: GET /api/Shipping/GetShippingPagedList 504 2000.0 ms external-system-failed upstream-timeout (R-1)\n',
    ]);
  });

  it.each(['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)('shows the level %s', (level) => {
    expect(
      written((logger) => {
        logger[level]('text');
      }),
    ).toEqual([`${level.toUpperCase()}: text\n`]);
  });

  it('shows the context, the fields and the stack of a message', () => {
    const fields = { context: 'Redis', stack: 'Error: x\n    at y', signal: 'SIGTERM', count: 3 };
    expect(
      written((logger) => {
        logger.error(fields, 'It failed\nbadly');
      }),
    ).toEqual(['ERROR: [Redis] It failed signal="SIGTERM" count=3\n  badly\n  Error: x\n      at y\n']);
  });

  it.each([
    ['\u001b[2J', '\\u001b[2J'],
    ['a\rb\u0007', 'a\\u000db\\u0007'],
    ['\u009b1m', '\\u009b1m'],
    ['\u202eabc', '\\u202eabc'],
    ['\u2028', '\\u2028'],
    ['\ud800', '\\ud800'],
    ['Große 京 \u{1f4e6}', 'Große 京 \u{1f4e6}'],
  ])('writes characters that could change the terminal as escapes: %j', (value, expected) => {
    const everywhere = { method: value, route: value, requestId: value, durationMs: 1 };
    expect(
      written((logger) => {
        logger.info(everywhere, 'request');
      }),
    ).toEqual([`INFO: ${expected} ${expected} 1.0 ms (${expected})\n`]);
    expect(
      written((logger) => {
        logger.info({ context: value, stack: value }, value);
      }),
    ).toEqual([`INFO: [${expected}] ${expected}\n  ${expected}\n`]);
    for (const text of written((logger) => {
      logger.info({ [value]: value }, 'x');
    })) {
      expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    }
  });

  it('keeps a value in one row', () => {
    expect(
      written((logger) => {
        logger.info({ ...REQUEST, route: 'a\nb', durationMs: 1 }, 'request');
      }),
    ).toEqual(['INFO: GET a\\u000ab 200 1.0 ms (R-1)\n']);
  });

  it.each(['name', 'caller', 'timestamp', 'valueOf', 'hasOwnProperty', 'constructor', 'a\nb', 'type'])(
    'shows a field whose name means something to pino-pretty like any other: %j',
    (name) => {
      const value = 'a\n[09:00:00] INFO: fake';
      const shown = name.replace('\n', '\\u000a');
      expect(
        written((logger) => {
          logger.info({ [name]: value, x: 1 }, 'm');
        }),
      ).toEqual([`INFO: m ${shown}=${JSON.stringify(value)} x=1\n`]);
    },
  );

  it.each([
    [{ msg: { a: 1 } }, 'INFO: {"a":1}\n'],
    [{ msg: null }, 'INFO: null\n'],
    [{ msg: 'request', durationMs: 'x' }, 'INFO: NaN ms ()\n'],
    [{ level: {} }, expect.stringMatching(/^[^\n]*m\n$/)],
    [{ time: 1e99 }, expect.stringMatching(/m\n$/)],
    [{ stack: { a: 1 } }, 'INFO: m\n  {"a":1}\n'],
  ])('never throws: %j', (fields, expected) => {
    const text = prettyLine(JSON.stringify({ level: 30, time: 0, msg: 'm', ...fields }));
    expect(text.replace(/^\[[^\]]*\] /, '')).toEqual(expected);
  });
});
