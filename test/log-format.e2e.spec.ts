import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from './support/operations';
import { ServiceProcess } from './faults/support/service-process';

const ENVIRONMENT = { EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' };

describe('the form of the log where standard output is no terminal', () => {
  it.each(['auto', 'json'])('D39 LOG_FORMAT=%s is JSON, with one line for the start', async (format) => {
    const service = await ServiceProcess.start({ ...ENVIRONMENT, LOG_FORMAT: format });
    await fetch(`${service.url}/health/live`);
    service.signal('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
    const lines = service.log;
    expect(lines.every(({ level, time }) => typeof level === 'number' && typeof time === 'number')).toBe(true);
    expect(lines[0]).toMatchObject({ address: service.url, docs: `${service.url}/docs` });
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', route: '/health/live' }));
  });

  it('D39 LOG_FORMAT=pretty is text, with three lines for the start', async () => {
    const service = ServiceProcess.spawn({ ...ENVIRONMENT, LOG_FORMAT: 'pretty' });
    await service.until(() => service.stdout.includes('External system'), 'listening');
    const [, url = ''] = /Service: +(\S+)/.exec(service.stdout) ?? [];
    await fetch(`${url}/api/Shipping/GetShippingDetails?SearchTerm=%1b%5b2J`, { headers: { 'X-Request-Id': 'R-1' } });
    service.signal('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
    const lines = service.stdout.split('\n').map((line) => line.replace(/^\[\d\d:\d\d:\d\d\] /, ''));
    expect(lines.slice(0, 3)).toEqual([
      `INFO: Service:         ${url}`,
      `INFO: Documentation:   ${url}/docs`,
      'INFO: External system: http://127.0.0.1:9/',
    ]);
    const request = /^INFO: GET \/api\/Shipping\/GetShippingDetails 400 [\d.]+ ms invalid-parameters \(R-1\)$/;
    expect(lines).toContainEqual(expect.stringMatching(request));
  });
});

const ROOT = join(__dirname, '..');
const CONTROL_C = '\u0003';
/** Only this `script` runs a command on a pseudo-terminal under these options. */
const hasScript = String(spawnSync('script', ['--version']).stdout).includes('util-linux');
const onTerminal = hasScript ? it : it.skip;

describe('the form of the log on a terminal', () => {
  let terminal: ChildProcess;
  let output = '';

  afterEach(() => terminal.kill('SIGKILL'));

  const lines = (): string[] => output.split('\r\n').map((line) => line.replace(/^\[\d\d:\d\d:\d\d\] /, ''));

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
      `INFO: Service:         ${url}`,
      `INFO: Documentation:   ${url}/docs`,
      expect.stringMatching(/^INFO: External system: embedded sandbox http:\S+$/),
      expect.stringMatching(/^INFO: GET \/api\/Shipping\/GetShippingDetails 200 [\d.]+ ms complete \(R-1\)$/),
      '',
    ]);
    const ended = once(terminal, 'close');
    terminal.stdin?.write(CONTROL_C);
    expect(await ended).toEqual([0, null]);
    for (const line of lines()) expect(line).toMatch(/^[^\p{Cc}{]*$/u);
  });
});
