import { colourOf, forTerminal, type LogLine, prettyFormat } from './log-formats';

jest.mock('node:tty', () => ({ ...jest.requireActual<object>('node:tty'), isatty: () => true }));

describe('D39 what somebody at a terminal reads', () => {
  const line = { level: 30, time: 1 };
  const request = { ...line, msg: 'request', method: 'GET', route: '/a', status: 200, durationMs: 4.6 };
  const start = { ...line, msg: 'Listening', address: 'http://h', externalSystem: 'http://x/' };

  const FAILED = { completeness: 'unavailable;reason=bad-reply', cause: 'status 206' };
  it.each<[string, Partial<LogLine>, string]>([
    ['a complete list', { completeness: 'complete' }, 'GET /a 200 5 ms complete'],
    ['a failed one', FAILED, 'GET /a 200 5 ms unavailable;reason=bad-reply (status 206)'],
    ['a problem', { status: 404, problem: 'route-not-found' }, 'GET /a 404 5 ms route-not-found'],
    ['a page', { status: 302, durationMs: 0.2 }, 'GET /a 302 0 ms'],
  ])('of a request, one short line: %s', (_, fields, text) => {
    expect(forTerminal({ ...request, ...fields })).toEqual({ ...line, msg: text });
  });

  it.each<[string, Partial<LogLine>, RegExp[]]>([
    ['on the sandbox', { docs: 'http://h/docs', embeddedSandbox: true }, [/sandbox\. Open http:\/\/h\/docs/, /PageSize=1/, /SIMULATE-500/]],
    ['on a system', { docs: 'http://h/docs', embeddedSandbox: false }, [/of http:\/\/x\/\. Open/, /PageSize=1/]],
    ['without the page', {}, [/of http:\/\/x\/$/, /PageSize=1/]],
  ])('of the start, the page and what to try: %s', (_, fields, rows) => {
    const text = forTerminal({ ...start, ...fields }).msg ?? '';
    expect(text.split('\n').map((shown, index) => rows[index]?.test(shown))).toEqual(rows.map(() => true));
  }); // prettier-ignore

  it('of anything else, the line itself', () => {
    const other = { ...line, msg: 'request' };
    expect(forTerminal(other)).toBe(other);
  });

  it.each(Object.entries({ 60: 'red', 50: 'red', 40: 'yellow', 30: 'reset' }))('level %s is %s', (level, colour) => {
    expect([colourOf({ ...request, level: Number(level) }), colourOf(start)]).toEqual([colour, 'green']);
  });
});

describe('D39 colours on a terminal', () => {
  const environment = process.env;
  afterEach(() => {
    process.env = environment;
  });

  it.each<[NodeJS.ProcessEnv, boolean]>([
    [{}, true],
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
  ])('with %p: %p', async (variables, expected) => {
    process.env = { ...variables };
    const format = await prettyFormat();
    expect(format('{"level":50,"time":1,"msg":"a"}').includes('\u001b')).toBe(expected);
  });
});
