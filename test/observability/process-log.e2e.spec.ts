import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../testing/upstream/eventually';
import { useFolder } from '../support/folder';
import { ROOT } from '../support/read';

/** Only this `script` runs a command on a pseudo-terminal under these options. */
const hasTerminals = String(spawnSync('script', ['--version']).stdout).includes('util-linux');

/** Logs to standard output, and writes the number of dropped lines to standard error. */
function program(logFormat: string, work: string): string {
  return `
    const { createLogger, openLog, PinoLoggerService } = require('${ROOT}/src/observability/logging/logger.ts');
    const { Registry } = require('prom-client');
    const registry = new Registry();
    openLog({ logFormat: '${logFormat}' }, registry).then(async (log) => {
      const logger = createLogger({ logLevel: 'trace' }, log);
      const nest = new PinoLoggerService(logger);
      ${work}
      console.error(await registry.getSingleMetricAsString('log_lines_dropped_total'));
      process.exit();
    });`;
}

describe('D39 the log of a process', () => {
  const { folder, file } = useFolder();
  let shell: ChildProcess;

  afterEach(() => {
    // The readers too: they belong to its group.
    if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
  });

  const written = (name: string): string => readFileSync(join(folder, name), 'utf8');

  /** Runs the program in a shell, its output redirected, and returns its exit code and the lines that it dropped. */
  async function run(text: string, redirection: string, onTerminal = false): Promise<[exit: string, dropped: number]> {
    file('program.js', text);
    for (const name of ['errors', 'log', 'terminal']) file(name, '');
    const node = `'${process.execPath}' -r '${ROOT}/test/support/register-swc.js' program.js 2>errors`;
    const command = `{ NODE_PATH='${ROOT}/node_modules' ${node}; echo "exit $?" >>errors; } ${redirection}`;
    const terminal = ['script', '--quiet', '--flush', '--command', command, 'terminal'];
    const [name = '', ...options] = onTerminal ? terminal : ['sh', '-c', command];
    // Nobody reads the standard output of the shell.
    const env = { PATH: process.env.PATH, TERM: 'xterm' };
    shell = spawn(name, options, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    await eventually('the exit of the process', () => /^exit \d+$/m.test(written('errors')));
    const [, exit = ''] = /^exit (\d+)$/m.exec(written('errors')) ?? [];
    const [, dropped] = /^log_lines_dropped_total (\d+)$/m.exec(written('errors')) ?? [];
    return [exit, Number(dropped)];
  }

  const MANY = 20_000;
  const manyLines = program('json', `for (let i = 0; i < ${MANY}; i += 1) logger.info({ i, text: 'x'.repeat(100) });`);

  it.each([
    ['a pipe that nobody reads', '| sleep 1000'],
    ['a pipe whose reader has gone', '| true'],
    ['a socket that nobody reads', ''],
    ['a full disk', '>/dev/full'],
  ])('does not block: %s', async (_, redirection) => {
    const [exit, dropped] = await run(manyLines, redirection);
    expect(exit).toBe('0');
    expect(dropped).toBeGreaterThan(MANY / 2);
    expect(dropped).toBeLessThanOrEqual(MANY);
  });

  it('each of several lines that cannot be sent is counted', async () => {
    const isNone = `/total 0/.test(await registry.getSingleMetricAsString('log_lines_dropped_total'))`;
    const work = `do { logger.info('a'); logger.info('b'); await new Promise(setImmediate); } while (${isNone});`;
    const [, dropped] = await run(program('json', work), '| true');
    expect([dropped > 0, dropped % 2]).toEqual([true, 0]);
  });

  (hasTerminals ? it : it.skip)('nor does a terminal, which gets text', async () => {
    const [exit, dropped] = await run(manyLines, '', true);
    expect(exit).toBe('0');
    expect(dropped).toBeGreaterThan(MANY / 2);
    await run(program('auto', `logger.info('hello'); logger.warn('b')`), '', true);
    await eventually('the lines on the terminal', () => written('terminal').includes('WARN\u001b[39m: \u001b[36mb'));
    expect(written('terminal')).toMatch(/^\[[\d:]+\] \u001b\[32mINFO\u001b\[39m: \u001b\[36mhello/m);
  });

  it('a file gets every line', async () => {
    expect(await run(manyLines, '>log')).toEqual(['0', 0]);
    expect(written('log').split('\n')).toHaveLength(MANY + 1);
    expect(await run(manyLines, '>/dev/null')).toEqual(['0', 0]);
  });

  it('pretty lines: no text moves the cursor or starts a row', async () => {
    const work = `
      logger.info({ method: 'GET', status: 200, trace_id: 'a', requestId: 'R-1', durationMs: 4.9 }, 'request');
      logger.info({ trace_id: 'a', requestId: 'R-1' }, 'retry');
      logger.warn({ client: 'a\\u001b[2J\\nb' }, 'request');
      nest.error('failed\\u009b', 'Error\\n    at \\u001b[1mx', 'Context');
      nest.fatal('Große 京 \u{1f4e6}');`;
    await run(program('pretty', work), '>log');
    const lines = written('log').replace(/^\[\d\d:\d\d:\d\d\] /gm, '');
    expect(lines.split('\n')).toEqual([
      'INFO: request {"method":"GET","status":200,"requestId":"R-1","durationMs":4.9}',
      'INFO: retry {"requestId":"R-1"}',
      'WARN: request {"client":"a\\u001b[2J\\nb"}',
      'ERROR: failed {"context":"Context","stack":"Error\\n    at \\u001b[1mx"}',
      'FATAL: Große 京 \u{1f4e6}',
      '',
    ]);
  });
});
