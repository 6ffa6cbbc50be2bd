import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CATALOGUE } from './catalogue';
import { WireClient } from './wire-client';

const SUPPORT = join(__dirname, '..');

// Starting a process that compiles what it loads takes its time on a busy machine.
describe('the command line', () => {
  let child: ChildProcess;

  function run(...options: string[]): { until: (pattern: RegExp) => Promise<RegExpExecArray>; output: () => string } {
    child = spawn(process.execPath, ['-r', join(SUPPORT, 'register-swc.js'), join(__dirname, 'cli.ts'), ...options]);
    let output = '';
    let wake = (): void => undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        output += bytes.toString();
        wake();
      });
    }
    const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const match = pattern.exec(output);
        if (match) {
          return match;
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
    };
    return { until, output: () => output };
  }

  afterEach(() => {
    child.kill('SIGKILL');
  });

  it('responds as configured, or as the call says, and stops on SIGTERM with calls in flight', async () => {
    const { until } = run('--port', '0', '--behaviour', 'gzip');
    const [, url = ''] = await until(/Listening on (http\S+), answering gzip/);
    const headOf = async (target: string, headers = {}): Promise<string> =>
      (
        await WireClient.to(url)
          .get(target, { Connection: 'close', ...headers })
          .response()
      ).head;

    expect(await headOf('/')).toContain('Content-Encoding: gzip');
    expect(await headOf('/', { 'X-Behaviour': 'tooManyRequests' })).toMatch(/^HTTP\/1\.1 429 /);
    expect(await headOf('/shippings/paged?PageNumber=1&SearchTerm=notFound')).toMatch(/^HTTP\/1\.1 404 /);
    expect(await headOf('/shippings/by-id/serverError')).toMatch(/^HTTP\/1\.1 500 /);
    WireClient.to(url).get('/?Id=neverResponds');
    await until(/GET \/\?Id=neverResponds\n/);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('prints the behaviours there are for a name that there is not', async () => {
    const { output } = run('--behaviour', 'dances');
    expect(await once(child, 'close')).toEqual([1, null]);
    for (const name of CATALOGUE.keys()) {
      expect(output()).toContain(`  ${name}\n`);
    }
  });
});

describe('CATALOGUE', () => {
  it('holds behaviours under their names and nothing else', () => {
    expect([...CATALOGUE.keys()]).toEqual(expect.arrayContaining(['json', 'neverResponds', 'gzipBomb', 'unavailable']));
    for (const build of CATALOGUE.values()) {
      expect(build()).toEqual({ perform: expect.any(Function) as unknown });
    }
  });
});
