import { Logger } from '@nestjs/common';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedSandbox, type EmbeddedSandbox } from '../../src/sandbox/embedded-sandbox';
import { holdLongWaits } from '../support/held-waits';
import { eventually } from '../support/operations';

const MAIN = join(__dirname, '../../src/sandbox/sandbox.process.ts');
const nodeOptions = process.env.NODE_OPTIONS;
const SETTINGS = { port: 0, records: 10, variant: 'extended' } as const;

/** The sandbox runs its own entry, which here is TypeScript. */
function hooks(...names: string[]): string[] {
  return ['typescript-hook.js', ...names].flatMap((name) => ['--require', join(__dirname, name)]);
}

async function startedWith(...names: string[]): Promise<EmbeddedSandbox> {
  return startEmbeddedSandbox(SETTINGS, hooks(...names));
}

async function status(url: string): Promise<number | string> {
  return fetch(`${url}/shippings/by-id/SHP-000001`).then(
    (response) => response.status,
    () => 'unreachable',
  );
}

describe('the embedded sandbox', () => {
  it('runs in its own process with its settings, on loopback only, until it is stopped', async () => {
    process.env.SANDBOX_HOST = '::1';
    const sandbox = await startEmbeddedSandbox({ ...SETTINGS, records: 7, variant: 'basic' }, hooks());
    delete process.env.SANDBOX_HOST;
    expect(new URL(sandbox.url).hostname).toBe('127.0.0.1');
    const query = 'PageNumber=1&PageSize=1&SortBy=Status&SortDirection=asc';
    const response = await fetch(`${sandbox.url}/shippings/paged?${query}`);
    expect(await response.json()).toMatchObject({ TotalCount: 7 });
    const first = await fetch(`${sandbox.url}/shippings/by-id/SHP-000001`);
    expect(await first.json()).toMatchObject({ CreatedDate: '2031-01-01T09:30:00.000Z' });
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    expect(await status(sandbox.url)).toBe('unreachable');
    await sandbox.stop();
  });

  it('D41 gets its own settings, and nothing of the environment of the service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const written = join(folder, 'environment.json');
    const hook = join(folder, 'hook.js');
    writeFileSync(hook, `require('node:fs').writeFileSync(${JSON.stringify(written)}, JSON.stringify(process.env));`);
    process.env.EXTERNAL_SHIPPING_TOKEN = 'zqxjk';
    process.env.NODE_OPTIONS = '--no-deprecation';
    const sandbox = await startEmbeddedSandbox(SETTINGS, [...hooks(), '--require', hook]);
    delete process.env.EXTERNAL_SHIPPING_TOKEN;
    if (nodeOptions === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = nodeOptions;
    await sandbox.stop();
    const environment = JSON.parse(readFileSync(written, 'utf8')) as Record<string, string>;
    rmSync(folder, { recursive: true });
    const own = ['PATH', 'SANDBOX_HOST', 'SANDBOX_PORT', 'SANDBOX_RECORDS', 'SANDBOX_VARIANT'];
    // Node sets its channel, and its coverage where that is on.
    const names = Object.keys(environment).filter((name) => !/^NODE_(CHANNEL|V8_COVERAGE)/.test(name));
    expect(names.sort()).toEqual(own);
  });

  it('reports why it did not start', async () => {
    await expect(startEmbeddedSandbox({ ...SETTINGS, records: 0 }, hooks())).rejects.toThrow(
      /did not start: Bad settings:\s+- SANDBOX_RECORDS must be an integer from 1 to 1000000/,
    );
  });

  it('reports that its process ended', async () => {
    await expect(startedWith('ending-hook.js')).rejects.toThrow(
      'The embedded sandbox did not start: its process ended with exit code 7',
    );
  });

  it('that ended is logged, and started again at the same address, at most once in ten seconds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const path = (name: string): string => join(folder, name);
    const hook = `const fs = require('node:fs');
      fs.writeFileSync(${JSON.stringify(path('pid'))}, String(process.pid));
      if (fs.existsSync(${JSON.stringify(path('refuse'))})) process.exit(7);`;
    writeFileSync(path('hook.js'), hook);
    let now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const sandbox = await startEmbeddedSandbox(SETTINGS, [...hooks(), '--require', path('hook.js')]);
    const { waited, restore } = holdLongWaits(() => {
      rmSync(path('refuse'), { force: true });
      return error.mock.calls.length < 3;
    });
    const kill = async (): Promise<void> => {
      const lines = error.mock.calls.length;
      process.kill(Number(readFileSync(path('pid'), 'utf8')), 'SIGKILL');
      await eventually(() => error.mock.calls.length > lines);
    };

    writeFileSync(path('refuse'), '');
    await kill();
    while ((await status(sandbox.url)) !== 200) await new Promise((resolve) => setImmediate(resolve));
    now += 4_000;
    await kill();
    restore();
    await sandbox.stop();
    expect(error.mock.calls.flat()).toEqual([
      'The embedded sandbox ended: its process ended with SIGKILL; it is started again in 0 s',
      'The embedded sandbox ended: its process ended with exit code 7; it is started again in 10 s',
      'The embedded sandbox ended: its process ended with SIGKILL; it is started again in 6 s',
    ]);
    expect(waited).toEqual([10_000, 6_000]);
    rmSync(folder, { recursive: true });
  });

  it('is ended by force where it does not end by itself', async () => {
    const sandbox = await startedWith('stubborn-hook.js');
    const { waited, restore } = holdLongWaits();
    await sandbox.stop();
    restore();
    expect(waited).toEqual([2_000]);
    expect(await status(sandbox.url)).toBe('unreachable');
  });
});

describe('the forked process', () => {
  async function forked(): Promise<{ child: ChildProcess; url: string }> {
    const child = fork(MAIN, [], {
      env: { ...process.env, SANDBOX_RECORDS: '10' },
      execArgv: hooks(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const [message] = (await once(child, 'message')) as [{ url: string }];
    return { child, url: message.url };
  }

  it('lives on through SIGINT and SIGTERM, and ends with its parent, its requests unanswered or not', async () => {
    const { child, url } = await forked();
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await status(url)).toBe(200);
    const hanging = fetch(`${url}/shippings/by-id/SIMULATE-TIMEOUT`).catch(() => 'broken off');
    const exit = once(child, 'exit');
    child.disconnect();
    expect(await exit).toEqual([0, null]);
    expect(await hanging).toBe('broken off');
  });
});

describe('the process started by hand', () => {
  function started(environment: NodeJS.ProcessEnv): ChildProcess {
    return spawn(process.execPath, [...hooks(), MAIN], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  it('prints one line where it listens, and ends with 0 on SIGTERM', async () => {
    const child = started({ SANDBOX_RECORDS: '10', SANDBOX_VARIANT: 'basic' });
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    const [, url] = /^Sandbox at (http:\/\/127\.0\.0\.1:\d+): basic, 10 records\n$/.exec(line.toString()) ?? [];
    expect(await status(url ?? '')).toBe(200);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('names every bad setting and ends with 1', async () => {
    const child = started({ SANDBOX_PORT: 'x', SANDBOX_RECORDS: '0', SANDBOX_VARIANT: 'best' });
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(text).toMatch(/SANDBOX_PORT.*\n.*SANDBOX_RECORDS.*\n.*SANDBOX_VARIANT.*\n$/);
  });
});
