import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../test/support/folder';
import { ROOT } from '../../test/support/read';
import { loadEnvFile, SettingsError } from './settings';

const HOOK = join(ROOT, 'test/support/register-swc.js');

describe('D25 .env in the working directory', () => {
  const { env } = process;
  const { folder } = useFolder();
  beforeEach(() => {
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(ROOT);
    process.env = env;
    rmSync(join(folder, '.env'), { force: true });
  });

  it.each([
    ['adds its variables', 'A=1\nexport B = "two\nlines" # why\n', {}, { A: '1', B: 'two\nlines' }],
    ['leaves the variables of the environment, empty ones too', 'A=1\nB=2', { A: '', B: 'own' }, { A: '', B: 'own' }],
    ['is not read in production', 'A=1', { NODE_ENV: 'production' }, { NODE_ENV: 'production' }],
    ['may be missing', undefined, {}, {}],
    ['may begin with a byte order mark', '\ufeffA=1\nB=é', {}, { A: '1', B: 'é' }],
  ])('%s', (_, text, before, after) => {
    if (text !== undefined) writeFileSync('.env', text);
    process.env = before;
    loadEnvFile();
    expect(process.env).toEqual(after);
  });

  it.each([
    ['Latin-1', Buffer.from('PORT=hidden\xe9', 'latin1')],
    ['UTF-16', Buffer.from('PORT=hidden', 'utf16le')],
    ['UTF-16 in the other order', Buffer.from('\ufeffPORT=hidden', 'utf16le').swap16()],
  ])('D26 is refused in words where it is %s', (_, bytes) => {
    writeFileSync('.env', bytes);
    process.env = {};
    expect(loadEnvFile).toThrow(new SettingsError(['The file .env must be text in UTF-8']));
  });

  const LATIN1 = Buffer.from('PORT=hidden\xe9', 'latin1');
  it.each([
    ['read', Buffer.from('PORT=hidden'), /^Bad settings:\n {2}- PORT must [^\n]+\n$/],
    ['refused', LATIN1, /^Bad settings:\n {2}- The file .env must be text in UTF-8\n$/],
  ])('is %s by src/main.ts, without its values', (_, bytes, message) => {
    writeFileSync('.env', bytes);
    const options = { env: { PATH: env.PATH }, encoding: 'utf8' } as const;
    const { stderr } = spawnSync(process.execPath, ['--require', HOOK, join(ROOT, 'src/main.ts')], options);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hidden');
  });
});
