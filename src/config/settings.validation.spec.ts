import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const HOOK = join(ROOT, 'test/support/register-swc.js');
const PRINT = `require('${ROOT}/src/config/settings').loadEnvFile(); [process.env.A, process.env.B].join('|')`;

describe('D25 .env in the working directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'env-file-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function run(env: Record<string, string>, ...program: string[]): { stdout: string; stderr: string } {
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' } as const;
    return spawnSync(process.execPath, ['--require', HOOK, ...program], options);
  }

  it.each([
    ['adds its variables', 'A=1\nexport B = "two\nlines" # why\n', {}, '1|two\nlines\n'],
    ['leaves the variables of the environment, empty ones too', 'A=1\nB=2', { A: '', B: 'own' }, '|own\n'],
    ['is not read in production', 'A=1', { NODE_ENV: 'production' }, '|\n'],
    ['may be missing', undefined, {}, '|\n'],
    ['may begin with a byte order mark', '\ufeffA=1\nB=é', {}, '1|é\n'],
  ])('%s', (_, text, env, stdout) => {
    if (text !== undefined) writeFileSync(join(folder, '.env'), text);
    expect(run(env, '--print', PRINT)).toMatchObject({ stdout, stderr: '' });
  });

  it.each([
    ['UTF-16 without a byte order mark', Buffer.from('PORT=hidden', 'utf16le')],
    ['Latin-1', Buffer.from('PORT=hidden\xe9', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffPORT=hidden', 'utf16le')],
    ['UTF-16 in the other order', Buffer.from('\ufeffPORT=hidden', 'utf16le').swap16()],
  ])('D26 is refused in words where it is %s', (_, bytes) => {
    writeFileSync(join(folder, '.env'), bytes);
    const { stderr } = run({}, join(ROOT, 'src/main.ts'));
    expect(stderr).toBe('Bad settings:\n  - The file .env must be text in UTF-8\n');
  });

  it('is read by src/main.ts', () => {
    writeFileSync(join(folder, '.env'), 'PORT=hidden');
    const { stderr } = run({}, join(ROOT, 'src/main.ts'));
    expect(stderr).toMatch(/^Bad settings:\n {2}- PORT must [^\n]+\n$/);
    expect(stderr).not.toContain('hidden');
  });
});
