import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');
const COMMITTED = join(ROOT, 'openapi.json');

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a script as npm does, from any place and in any environment. */
function run(script: string, args: readonly string[], env: Record<string, string> = {}, cwd = ROOT): Outcome {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-r', join(ROOT, 'test/support/register-swc.js'), join(ROOT, 'tools', script), ...args],
    { cwd, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', timeout: 200_000 },
  );
  return { code: status, output: stdout + stderr };
}

describe('the scripts of the document', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'document-'));
    file = join(folder, 'openapi.json');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** A copy of the committed document, changed in one place. */
  const changed = (from: string, to: string): void => {
    const text = readFileSync(COMMITTED, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
  };

  describe('openapi', () => {
    it('writes what is committed, wherever and in whatever environment it runs', () => {
      const env = { PORT: 'none', NODE_ENV: 'production', SHIPPING_ID_PATTERN: 'x', TZ: 'Asia/Tokyo', LANG: 'tr_TR' };
      expect(run('openapi.ts', ['--document', file], env, folder).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(readFileSync(COMMITTED, 'utf8'));
    });

    it('--check passes where the file is up to date', () => {
      copyFileSync(COMMITTED, file);
      const { code, output } = run('openapi.ts', ['--check', '--document', file]);
      expect([code, output]).toEqual([0, expect.stringMatching(/openapi\.json is up to date\.\n$/)]);
    });

    it('--check fails where the file differs, and does not change it', () => {
      changed('"operationId": "getShippingDetails"', '"operationId": "getDetails"');
      expectOutOfDate();
    });

    it('--check fails where only white space differs', () => {
      writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(COMMITTED, 'utf8'))));
      expectOutOfDate();
    });

    it('--check fails where the file is missing', () => {
      expect(run('openapi.ts', ['--check', '--document', file]).code).toBe(1);
    });

    const expectOutOfDate = (): void => {
      const before = readFileSync(file, 'utf8');
      const { code, output } = run('openapi.ts', ['--check', '--document', file]);
      expect([code, output]).toEqual([1, expect.stringContaining('run "npm run openapi"')]);
      expect(readFileSync(file, 'utf8')).toBe(before);
    };
  });
});
