import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from './support/operations';

const ROOT = join(__dirname, '..');
const CONTROL_C = '\u0003';
/** Only this `script` runs a command on a pseudo-terminal under these options. */
const hasScript = String(spawnSync('script', ['--version']).stdout).includes('util-linux');
const onTerminal = hasScript ? it : it.skip;

describe('the form of the log on a terminal', () => {
  let terminal: ChildProcess;
  let output = '';

  afterEach(() => terminal.kill('SIGKILL'));

  const lines = (): string[] => output.split('\r\n').map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));

  function startOnTerminal(): void {
    const command = `exec '${process.execPath}' --require '${ROOT}/test/support/register-swc.js' '${ROOT}/src/main.ts'`;
    terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, SHELL: '/bin/sh', HOST: '127.0.0.1', PORT: '0' },
      stdio: 'pipe',
    });
    terminal.stdout?.on('data', (text: Buffer) => (output += text.toString()));
  }

  onTerminal('D39 is text: three lines for the start and one for a request (needs script of util-linux)', async () => {
    startOnTerminal();
    await eventually(() => output.includes('External system'));
    const [, url = ''] = /Service: +(\S+)/.exec(output) ?? [];
    await fetch(`${url}/api/Shipping/GetShippingDetails?Limit=1`, { headers: { 'X-Request-Id': 'R-1' } });
    await eventually(() => output.includes('(R-1)\r\n'));
    expect(lines()).toEqual([
      `INFO  Service:         ${url}`,
      `INFO  Documentation:   ${url}/docs`,
      expect.stringMatching(/^INFO {2}External system: embedded sandbox http:\S+$/),
      expect.stringMatching(/^INFO {2}GET \/api\/Shipping\/GetShippingDetails 200 [\d.]+ ms complete \(R-1\)$/),
      '',
    ]);
    const ended = once(terminal, 'close');
    terminal.stdin?.write(CONTROL_C);
    expect(await ended).toEqual([0, null]);
    for (const line of lines()) expect(line).toMatch(/^[^\p{Cc}{]*$/u);
  });
});
