import '../support/silent-nest';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { generateRecords } from '../../src/sandbox/record-generator';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/start-sandbox';
import { ALL_RULES, type Report } from '../../tools/check-external/check';
import { refusedUrl } from '../support/upstream/refused-url';
import { BrokenSystem } from './broken-system';
import { PATIENT } from '../support/patient';

const ROOT = join(__dirname, '../..');
const RECORDS = generateRecords(60);

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

describe('npm run check:external', () => {
  let sandbox: RunningSandbox;
  let system: BrokenSystem;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: RECORDS, variant: 'extended' });
    system = await BrokenSystem.start(sandbox.url);
  });
  afterAll(async () => {
    await system.close();
    await sandbox.stop();
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
    for (const { Id, OrderId, TrackingNumber, ShippingAddress } of RECORDS) {
      for (const value of [Id, OrderId, TrackingNumber, ShippingAddress]) {
        if (value !== null) expect(stdout).not.toContain(value);
      }
    }
  });

  it.each([
    ['an unknown argument', ['--verbose'], /^Usage: npm run check:external/],
    ['an identifier that would change the path', ['--id', '..'], /^Usage: /],
    ['an address with a password', ['--url', 'http://user:s3cret@localhost'], /^Bad settings: EXTERNAL_SHIPPING_BASE_URL must .*\n$/], // prettier-ignore
    ['a module that does not exist', ['--url', 'http://127.0.0.1:9', '--protocol', 'none.ts'], /^The module of --protocol cannot be loaded\n$/], // prettier-ignore
  ])('exits with 2 for %s, with one line', async (_, args, explanation) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(explanation) });
    expect(stderr).not.toContain('s3cret');
  });

  it('exits with 2 where the system is unreachable', async () => {
    const { code, stderr } = await run(['--url', await refusedUrl()]);
    expect([code, stderr]).toEqual([2, 'The external system is unreachable: ECONNREFUSED\n']);
  });
});
