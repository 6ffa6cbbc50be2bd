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
    [
      'may have blanks',
      ' \t\n\r\n  A = 1 # why\r\n \n\n# why\n  # A=2\n \nB=\nC= \n D=a"b#c',
      {},
      { A: '1', B: '', C: '', D: 'a"b' },
    ],
    ['takes the last of a name', "A=1\nexport  A='2 # 3'", {}, { A: '2 # 3' }],
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
    ['export\tAUTH_API_KEYS_SHA256=hidden', 1],
    ['A=1\nset AUTH_API_KEYS_SHA256=hidden', 2],
    ['# why\n\nAUTH_API_KEYS_SHA256: hidden\nA=1', 3],
    ['A="\n\n"\r\nAUTH_API_KEYS_SHA256 hidden', 4],
    ['A="b\nAUTH_API_KEYS_SHA256=hidden\nB="c"', 1],
    ["A='b", 1],
    ['A=1\n=2', 2],
  ])('D26 a line whose setting would be lost is refused by its number: %j', (text, line) => {
    writeFileSync('.env', text);
    process.env = {};
    expect(loadEnvFile).toThrow(new SettingsError([`Line ${line} of .env must be NAME=value, a comment or blank`]));
  });

  it('D26 a file that is no text in UTF-8 is refused, without its values', () => {
    writeFileSync('.env', 'PORT=hidden\xe9', 'latin1');
    expect(loadEnvFile).toThrow(new SettingsError(['The file .env must be text in UTF-8']));
  });

  it('is read by src/main.ts, which shows no value of it', () => {
    writeFileSync('.env', 'PORT=hidden');
    const options = { env: { PATH: env.PATH }, encoding: 'utf8' } as const;
    const { stderr } = spawnSync(process.execPath, ['--require', HOOK, join(ROOT, 'src/main.ts')], options);
    expect(stderr).toMatch(/^Bad settings:\n {2}- PORT must [^\n]+\n$/);
    expect(stderr).not.toContain('hidden');
  });
});
