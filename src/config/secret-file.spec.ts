import { lutimesSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../test/support/folder';
import { useLoggedLines } from '../../test/support/logged-lines';
import { readSecretFile, ReloadedSecret } from './secret-file';

describe('D35 a secret in a file', () => {
  const { folder } = useFolder();
  const file = join(folder, 'secret');
  const logged = useLoggedLines();
  let now: number;

  beforeEach(() => {
    now = 5_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });

  function write(content: string, changedAt: number): void {
    writeFileSync(file, content);
    utimesSync(file, changedAt, changedAt);
  }

  it('D35 is read again when its time of change differs, an earlier one too, looked at once a second at most', () => {
    write('one\n', 2);
    const secret = new ReloadedSecret({ value: 'one', file }, 'the secret');
    expect(secret.current).toBe('one');
    write('two\n', 1);
    now += 999;
    expect(secret.current).toBe('one');
    now += 1;
    expect(secret.current).toBe('two');
    write('three', 1);
    now += 1_000;
    expect(secret.current).toBe('two');
    expect(logged).toEqual([]);
  });

  it('D35 may have 1 MiB', () => {
    write('x'.repeat(1_048_576), 1);
    expect(readSecretFile(file).text).toHaveLength(1_048_576);
  });

  it.each([
    [undefined, 'ENOENT'],
    ['', 'empty'],
    ['two\nthree', 'not visible ASCII characters without spaces'],
  ])('D35 D26 %j in it leaves the last value in use, which is logged once, with the reason', (content, why) => {
    write('one', 3);
    const secret = new ReloadedSecret({ value: 'one', file }, 'the secret');
    expect(secret.current).toBe('one');
    if (content === undefined) rmSync(file);
    else write(content, 4);
    for (let second = 0; second < 3; second += 1) {
      now += 1_000;
      expect(secret.current).toBe('one');
    }
    expect(logged).toEqual([`The file of the secret is unusable (${why}); the last value stays in use`]);
  });

  it.each(['a folder', 'a link without a target', 'an empty file'])('D35 read again: %s', (unreadable) => {
    write('one', 5);
    const secret = new ReloadedSecret({ value: 'one', file }, 'the secret');
    rmSync(file);
    if (unreadable === 'a folder') mkdirSync(file);
    else if (unreadable === 'an empty file') writeFileSync(file, '');
    else symlinkSync(join(folder, 'nowhere'), file);
    lutimesSync(file, 6, 6);
    now += 1_000;
    expect(secret.current).toBe('one');
    rmSync(file, { recursive: true });
    write('two', 6);
    now += 1_000;
    expect(secret.current).toBe('two');
    write('', 7);
    now += 1_000;
    expect(secret.current).toBe('two');
    expect(logged).toHaveLength(2);
  });
});
