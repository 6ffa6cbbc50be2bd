import '../support/silent-nest';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { generateRecords } from '../../src/sandbox/records';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/start-sandbox';
import type { Report } from '../../tools/check-external/check';
import { TABLE } from '../../tools/check-external/table';
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
    expect(lines).toHaveLength(TABLE.length);
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
    expect(report).toMatchObject({ url: `${system.url}/`, protocol: 'StandardProtocol' });
    expect(report.requests).toBe(system.received.length);
    expect(report.rules.filter(({ result }) => result === 'fail')).toEqual([
      {
        rule: 'limit',
        sent: 'Limit',
        mustCome: 'as many records at most',
        result: 'fail',
        detail: expect.stringMatching(/^\d+ records with Limit=1$/),
      },
    ]);
  });

  it.each([
    ['an unknown argument', ['--verbose'], /^Usage: npm run check:external/],
    ['an identifier that would change the path', ['--id', '..'], /^Usage: /],
    ['an address with a password', ['--url', 'http://user:s3cret@localhost'], /^Bad settings: EXTERNAL_SHIPPING_BASE_URL must .*\n$/], // prettier-ignore
    ['a pause that is no number', ['--pause', '1s'], /^Usage: /],
  ])('exits with 2 for %s, with one line', async (_, args, explanation) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(explanation) });
    expect(stderr).not.toContain('s3cret');
  });
});
