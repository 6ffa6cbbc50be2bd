import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { generateRecords } from '../../src/sandbox/record-generator';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/sandbox.server';
import type { Report } from '../../tools/check-external/check';
import { ALL_RULES } from '../../tools/check-external/rules/all-rules';
import { refusedUrl } from '../support/upstream/refused-url';
import { BrokenSystem } from './broken-system';

const ROOT = join(__dirname, '../..');
const RECORDS = [...generateRecords(60)];
const PATIENT = { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '30000', EXTERNAL_SHIPPING_TIMEOUT_MS: '60000' };

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as `npm run check:external` does. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const script = ['-r', './test/support/register-swc.js', 'tools/check-external/main.ts'];
  const child = spawn(process.execPath, [...script, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...PATIENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

function samplesOfTwo(): string[] {
  const [one, other] = RECORDS.filter(({ trackingNumber }) => trackingNumber !== null);
  return ['--id', String(one?.id), '--tracking', String(other?.trackingNumber)];
}

describe('npm run check:external', () => {
  let sandbox: RunningSandbox;
  let system: BrokenSystem;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: RECORDS, variant: 'extended' });
    system = await BrokenSystem.start(sandbox.url);
  });
  afterAll(async () => {
    await system.close();
    await sandbox.close();
  });

  it('exits with 0 where no rule is broken, with one line for each rule', async () => {
    const { code, stdout, stderr } = await run([], { EXTERNAL_SHIPPING_BASE_URL: `${sandbox.url}/` });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').filter((line) => /^(pass|fail|cannot tell) /.test(line));
    expect(lines).toHaveLength(ALL_RULES.length);
  });

  it('exits with 1 where a rule is broken, and prints one JSON document with --json', async () => {
    system.break({
      request: ({ query }) => {
        query.delete('Limit');
      },
    });
    const { code, stdout, stderr } = await run(['--url', system.url, '--json'], {
      EXTERNAL_SHIPPING_BASE_URL: await refusedUrl(),
    });
    expect([code, stderr]).toEqual([1, '']);
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ url: `${system.url}/`, protocol: 'StandardProtocol', failed: 1 });
    expect(report.requests).toBe(system.received.length);
    const limit = report.rules.find(({ id }) => id === 'limit');
    expect(limit).toEqual({
      id: 'limit',
      title: 'The unpaged list has Limit records at most',
      result: 'fail',
      advice: 'Apply Limit.',
      detail: expect.stringMatching(/^\d+ records with Limit=1$/),
    });
    for (const { id, orderId, trackingNumber, shippingAddress } of RECORDS) {
      for (const value of [id, orderId, trackingNumber, shippingAddress]) {
        if (value !== null) expect(stdout).not.toContain(value);
      }
    }
  });

  it.each<[string, () => Promise<readonly string[]>, Readonly<Record<string, string>>, RegExp]>([
    ['an unknown argument', () => Promise.resolve(['--verbose']), {}, /^Usage: npm run check:external/],
    ['an identifier that would change the path', () => Promise.resolve(['--id', '..']), {}, /^Usage: /],
    ['no address', () => Promise.resolve([]), {}, /^Name the external system with --url\n$/],
    ['an address with a password', () => Promise.resolve(['--url', 'http://user:s3cret@localhost']), {}, /^Bad settings: EXTERNAL_SHIPPING_BASE_URL must .*\n$/], // prettier-ignore
    ['a bad setting', async () => ['--url', await refusedUrl()], { PORT: 's3cret' }, /^Bad settings: PORT must be .*\n$/], // prettier-ignore
    ['samples of two records', () => Promise.resolve(['--url', system.url, ...samplesOfTwo()]), {}, /^The record of --id has another TrackingNumber than --tracking: name one record\n$/], // prettier-ignore
    ['a module that does not exist', async () => ['--url', await refusedUrl(), '--protocol', 'none.ts'], {}, /^The module of --protocol cannot be loaded\n$/], // prettier-ignore
    ['a module that starts a service', async () => ['--url', await refusedUrl(), '--protocol', 'examples/freightline/main.ts'], { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent' }, /^The module of --protocol has no class that extends ShippingProtocol: .*\n$/], // prettier-ignore
    ['a system that is unreachable', async () => ['--url', await refusedUrl()], {}, /^The external system is unreachable: ECONNREFUSED\n$/], // prettier-ignore
  ])('exits with 2 for %s, with one line', async (_, args, env, explanation) => {
    const { code, stdout, stderr } = await run(await args(), env);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(explanation) });
    expect(stderr).not.toContain('s3cret');
  });
});
