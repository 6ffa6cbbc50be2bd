import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReloadedFiles } from './reloaded-files';
import { readSecretFile } from './secret-file';

describe('ReloadedFiles', () => {
  let folder: string;
  let path: string;
  let now: number;
  let logged: string[];
  let loads: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reloaded-'));
    path = join(folder, 'secret');
    [now, logged, loads] = [0, [], 0];
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function watch(watched = path): ReloadedFiles<string> {
    const log = (line: string): number => logged.push(line);
    const load = (): string | undefined => {
      loads += 1;
      return readSecretFile(watched);
    };
    return new ReloadedFiles({
      ...{ paths: [watched], load, initial: 'first', label: 'The file' },
      logger: { log, warn: log },
    });
  }

  it('D35 reads a changed file again, and looks once a second at most', () => {
    writeFileSync(path, 'first');
    const file = watch();
    expect(file.current).toBe('first');
    writeFileSync(path, 'second');
    now = 999;
    expect(file.current).toBe('first');
    now = 1000;
    expect(file.current).toBe('second');
    now = 5000;
    expect([file.current, loads]).toEqual(['second', 2]);
  });

  it('D35 notices a change of the same size at the same modification time', () => {
    writeFileSync(path, 'first');
    utimesSync(path, 1, 1);
    const file = watch();
    expect(file.current).toBe('first');
    writeFileSync(`${path}.new`, 'other');
    utimesSync(`${path}.new`, 1, 1);
    renameSync(`${path}.new`, path);
    now = 1000;
    expect(file.current).toBe('other');
  });

  it('D35 follows symbolic links that are replaced, as Kubernetes does', () => {
    for (const version of ['one', 'two']) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'secret'), version);
    }
    symlinkSync('one', join(folder, '..data'));
    symlinkSync(join('..data', 'secret'), path);
    const file = watch();
    expect(file.current).toBe('one');
    symlinkSync('two', join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
    now = 1000;
    expect(file.current).toBe('two');
  });

  it.each<[string, () => void]>([
    ['is missing', () => { rmSync(path); }],
    ['is empty', () => { writeFileSync(path, ' \n'); }],
    ['is too large', () => { writeFileSync(path, 'x'.repeat(1_048_577)); }],
  ])('D35 keeps the last value of a file that %s, and logs that once', (_, spoil) => {
    writeFileSync(path, 'value');
    const file = watch();
    expect(file.current).toBe('value');
    spoil();
    for (now = 1000; now < 5000; now += 1000) expect(file.current).toBe('value');
    expect(logged).toEqual(['The file is unusable; the last value stays in use']);
    writeFileSync(path, 'later');
    now = 6000;
    expect(file.current).toBe('later');
    expect(logged.slice(1)).toEqual(['The file is usable again']);
  }); // prettier-ignore

  it('D35 reads at once where it is told to', () => {
    writeFileSync(path, 'first');
    const file = watch();
    expect(file.current).toBe('first');
    writeFileSync(path, 'second');
    expect(file.reload()).toBe('second');
    expect(file.current).toBe('second');
  });
});
