import { pino, type Level } from 'pino';
import { loadPrettyLine } from './pretty-line';

let prettyLine: (json: string) => string;

beforeAll(async () => {
  prettyLine = await loadPrettyLine();
});

/** What is written for what is logged, without the time. */
function written(fields: object, message = 'request', level: Level = 'info'): string {
  let text = '';
  pino({ level: 'trace' }, { write: (line: string) => (text = prettyLine(line)) })[level](fields, message);
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] .*\n$/s);
  return text.slice(11);
}

const REQUEST = { method: 'GET', route: '/api/Shipping/GetShippingPagedList', status: 200, requestId: 'R-1' };

describe('D39 a line on a terminal', () => {
  it('shows a request by method, route, status, duration and completeness', () => {
    const line = { ...REQUEST, trace_id: 'a', span_id: 'b', completeness: 'complete;limit=1', durationMs: 4.9017 };
    expect(written(line)).toBe('INFO: GET /api/Shipping/GetShippingPagedList 200 4.9 ms complete;limit=1 (R-1)\n');
  });

  it('shows the code and the reason of a problem', () => {
    const problem = { problem: 'external-system-failed', reason: 'upstream-timeout', durationMs: 2000 };
    expect(written({ ...REQUEST, status: 504, ...problem }, 'request', 'warn')).toBe(
      'WARN: GET /api/Shipping/GetShippingPagedList 504 2000.0 ms external-system-failed upstream-timeout (R-1)\n',
    );
  });

  it('shows the context, the fields and the stack of a message', () => {
    const fields = { context: 'Redis', stack: 'Error: x\n    at y', signal: 'SIGTERM', count: 3 };
    expect(written(fields, 'It failed\nbadly', 'error')).toBe(
      'ERROR: [Redis] It failed signal="SIGTERM" count=3\n  badly\n  Error: x\n      at y\n',
    );
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
    expect(written(everywhere)).toBe(`INFO: ${expected} ${expected} 1.0 ms (${expected})\n`);
    expect(written({ context: value, stack: value }, value)).toBe(`INFO: [${expected}] ${expected}\n  ${expected}\n`);
    expect(written({ [value]: value }, 'x').slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
  });

  it('keeps a value in one row', () => {
    expect(written({ ...REQUEST, route: 'a\nb', durationMs: 1 })).toBe('INFO: GET a\\u000ab 200 1.0 ms (R-1)\n');
  });

  it.each(['name', 'caller', 'timestamp', 'valueOf', 'hasOwnProperty', 'constructor', 'a\nb', 'type'])(
    'shows a field whose name means something to pino-pretty like any other: %j',
    (name) => {
      const value = 'a\n[09:00:00] INFO: fake';
      const shown = `${name.replace('\n', '\\u000a')}=${JSON.stringify(value)}`;
      expect(written({ [name]: value, x: 1 }, 'm')).toBe(`INFO: m ${shown} x=1\n`);
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
