import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');
const COMMITTED = join(ROOT, 'openapi.json');

// Each run compiles what it loads, which takes its time on a busy machine.
jest.setTimeout(60_000);

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a script as npm does, from any place and in any environment. */
function run(script: string, args: readonly string[], env: Record<string, string> = {}, cwd = ROOT): Outcome {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-r', join(ROOT, 'test/support/register-swc.js'), join(ROOT, 'tools', script), ...args],
    { cwd, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', timeout: 55_000 },
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
  const changed = (from: string, to: string): string => {
    const text = readFileSync(COMMITTED, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
    return file;
  };

  describe('openapi', () => {
    it('writes what is committed, wherever and in whatever environment it runs', () => {
      const env = { PORT: 'none', NODE_ENV: 'production', SHIPPING_ID_PATTERN: 'x', TZ: 'Asia/Tokyo', LANG: 'tr_TR' };
      expect(run('openapi.ts', ['--document', file], env, folder).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(readFileSync(COMMITTED, 'utf8'));
    });

    it('--check is content with what the code says', () => {
      copyFileSync(COMMITTED, file);
      const outcome = run('openapi.ts', ['--check', '--document', file]);
      expect(outcome).toEqual({ code: 0, output: 'openapi.json is what the code says.\n' });
    });

    it('--check fails where the document has drifted, says where, and mends nothing', () => {
      changed('"operationId": "getShippingDetails"', '"operationId": "getDetails"');
      const before = readFileSync(file, 'utf8');
      const { code, output } = run('openapi.ts', ['--check', '--document', file]);
      expect(code).toBe(1);
      expect(output).toContain('run "npm run openapi"');
      expect(output).toContain('- /paths/~1api~1Shipping~1GetShippingDetails/get/operationId: "getDetails"');
      expect(output).toContain('+ /paths/~1api~1Shipping~1GetShippingDetails/get/operationId: "getShippingDetails"');
      expect(readFileSync(file, 'utf8')).toBe(before);
    });

    it('--check fails where only the order or the white space differs', () => {
      writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(COMMITTED, 'utf8'))));
      const { code, output } = run('openapi.ts', ['--check', '--document', file]);
      expect([code, output]).toEqual([1, expect.stringContaining('Only its order or its white space differs')]);
    });

    it('--check fails where there is no document', () => {
      expect(run('openapi.ts', ['--check', '--document', file]).code).toBe(1);
    });
  });

  describe('openapi:breaking', () => {
    it('passes where nothing breaks clients', () => {
      const { code, output } = run('openapi-breaking.ts', ['--against', COMMITTED]);
      expect([code, output]).toEqual([0, expect.stringMatching(/^Nothing breaks clients from \S+ to \S+\.\n$/)]);
    });

    it('compares with the last released document', () => {
      const { code, output } = run('openapi-breaking.ts', []);
      expect([code, output]).toEqual([0, expect.stringMatching(/^(Nothing breaks clients|These changes) from \S+ to/)]);
    });

    it('names what does, and fails', () => {
      changed('"operationId": "getShippingDetails"', '"operationId": "getDetails"');
      const { code, output } = run('openapi-breaking.ts', ['--against', COMMITTED, '--document', file]);
      expect(code).toBe(1);
      expect(output).toContain(
        'GET /api/Shipping/GetShippingDetails: operationId getShippingDetails becomes getDetails',
      );
      expect(output).toContain('raise the major version');
    });

    it('names what does, and passes where the major version is raised', () => {
      const { version } = (JSON.parse(readFileSync(COMMITTED, 'utf8')) as { info: { version: string } }).info;
      changed(`"version": "${version}"`, '"version": "99.0.0"');
      writeFileSync(file, readFileSync(file, 'utf8').replace('"getShippingDetails"', '"getDetails"'));
      const { code, output } = run('openapi-breaking.ts', ['--against', COMMITTED, '--document', file]);
      expect([code, output]).toEqual([0, expect.stringContaining('getShippingDetails becomes getDetails')]);
    });
  });
});
