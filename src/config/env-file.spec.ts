import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const HOOK = join(ROOT, 'test/support/register-swc.js');

describe('.env in the working directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'env-file-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function run(
    env: Record<string, string>,
    ...program: string[]
  ): { status: number | null; stdout: string; stderr: string } {
    // prettier-ignore
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' } as const;
    return spawnSync(process.execPath, ['--require', HOOK, ...program], options);
  }
  const read = (env: Record<string, string> = {}): ReturnType<typeof run> =>
    run(env, '--require', join(ROOT, 'src/config/env-file.ts'), '--print', '[process.env.A, process.env.B].join("|")');

  it.each([
    ['adds its variables', 'A=1\nexport B = "two\nlines" # why\n\n# C\n', {}, '1|two\nlines\n'],
    ['ends lines as on Windows', "A='x y'\r\nB=2\r\n", {}, 'x y|2\n'],
    ['leaves the variables of the environment, empty ones too', 'A=1\nB=2', { A: '', B: 'own' }, '|own\n'],
    ['is not read in production', 'A=1\nno variable', { NODE_ENV: 'production' }, '|\n'],
  ])('%s', (_, text, env, expected) => {
    writeFileSync(join(folder, '.env'), text);
    expect(read(env)).toMatchObject({ status: 0, stdout: expected, stderr: '' });
  });

  it('may be missing', () => {
    expect(read()).toMatchObject({ status: 0, stdout: '|\n' });
  });

  it.each([
    ['a line without =', 'A=1\nEXTERNAL_SHIPPING_TOKEN hidden\nB=2', 2],
    ['a line after a value of two lines', 'A="\n"\nB', 3],
    ['a nameless value', '=hidden', 1],
  ])('%s stops the start, and is not shown', (_, text, line) => {
    writeFileSync(join(folder, '.env'), text);
    const stderr = `.env cannot be used: line ${line} is not of the form NAME=value\n`;
    expect(read()).toMatchObject({ status: 1, stdout: '', stderr });
  });

  it('a folder of this name stops the start', () => {
    mkdirSync(join(folder, '.env'));
    expect(read()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^\.env cannot be used: EISDIR/) });
  });

  it('is read by src/main.ts', () => {
    writeFileSync(join(folder, '.env'), 'PORT=hidden');
    const { status, stderr } = run({}, join(ROOT, 'src/main.ts'));
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^SettingsError: Bad settings:\n {2}- PORT [^\n]+\n$/)]);
    expect(stderr).not.toContain('hidden');
  });
});
