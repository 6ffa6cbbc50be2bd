import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type EmbeddedSandbox, startEmbeddedSandbox } from '../../src/sandbox/embedded-sandbox';

const MAIN = join(__dirname, '../../src/sandbox/main.ts');
const SETTINGS = { port: 0, records: 10, variant: 'extended' } as const;

jest.setTimeout(30_000);

const nodeOptions = process.env.NODE_OPTIONS;

/** The sandbox runs its own entry, which here is TypeScript. */
function requireHooks(...names: string[]): void {
  process.env.NODE_OPTIONS = names.map((name) => `--require ${JSON.stringify(join(__dirname, name))}`).join(' ');
}

async function startedWith(hook: string): Promise<EmbeddedSandbox> {
  requireHooks('typescript-hook.js', hook);
  try {
    return await startEmbeddedSandbox(SETTINGS);
  } finally {
    requireHooks('typescript-hook.js');
  }
}

beforeAll(() => {
  requireHooks('typescript-hook.js');
});

afterAll(() => {
  if (nodeOptions === undefined) delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = nodeOptions;
});

async function status(url: string): Promise<number | string> {
  return fetch(`${url}/shippings/by-id/SHP-000001`).then(
    (response) => response.status,
    () => 'unreachable',
  );
}

describe('the embedded sandbox', () => {
  it('answers from its own process until it is stopped, which may be asked for twice', async () => {
    const sandbox = await startEmbeddedSandbox(SETTINGS);
    expect(await status(sandbox.url)).toBe(200);
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    expect(await status(sandbox.url)).toBe('unreachable');
    await sandbox.stop();
  });

  it('passes its settings on', async () => {
    const sandbox = await startEmbeddedSandbox({ port: 0, records: 7, variant: 'basic' });
    const query = 'PageNumber=1&PageSize=1&SortBy=Status&SortDirection=asc';
    const response = await fetch(`${sandbox.url}/shippings/paged?${query}`);
    expect(await response.json()).toMatchObject({ TotalCount: 7 });
    await sandbox.stop();
  });

  it('answers this machine alone, whatever a sandbox of its own is told', async () => {
    process.env.SANDBOX_HOST = '::1';
    try {
      const sandbox = await startEmbeddedSandbox(SETTINGS);
      expect(new URL(sandbox.url).hostname).toBe('127.0.0.1');
      await sandbox.stop();
    } finally {
      delete process.env.SANDBOX_HOST;
    }
  });

  it('says why it did not start', async () => {
    await expect(startEmbeddedSandbox({ ...SETTINGS, records: 0 })).rejects.toThrow(
      'The embedded sandbox did not start: SANDBOX_RECORDS must be an integer from 1 to 1000000',
    );
  });

  it('says so where its process ends before it listens', async () => {
    await expect(startedWith('ending-hook.js')).rejects.toThrow(
      'The embedded sandbox did not start: its process ended with exit code 7 before it listened',
    );
  });

  it('is ended by force where it does not end by itself', async () => {
    const sandbox = await startedWith('stubborn-hook.js');
    await sandbox.stop();
    expect(await status(sandbox.url)).toBe('unreachable');
  });
});

describe('the forked process', () => {
  async function forked(): Promise<{ child: ChildProcess; url: string }> {
    const child = fork(MAIN, [], {
      env: { ...process.env, SANDBOX_RECORDS: '10' },
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
    return spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('prints one line where it listens, and ends with 0 on %s', async (signal) => {
    const child = started({ SANDBOX_RECORDS: '10', SANDBOX_VARIANT: 'basic' });
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    const [, url] = /^Sandbox at (http:\/\/127\.0\.0\.1:\d+): basic, 10 records\n$/.exec(line.toString()) ?? [];
    expect(await status(url ?? '')).toBe(200);
    const exit = once(child, 'exit');
    child.kill(signal);
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
