import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../test/support/folder';
import { useLoggedLines } from '../../test/support/logged-lines';
import { useMonotonicClock } from '../../test/support/monotonic-clock';
import { reloadedSecret } from './secret-file';

describe('D35 a secret in a file', () => {
  const { folder, file: write } = useFolder();
  const file = join(folder, 'secret');
  const logged = useLoggedLines();
  const clock = useMonotonicClock();
  beforeEach(clock.stop);

  it('D35 is read again, once a second at most', () => {
    write('secret', 'one\n');
    const secret = reloadedSecret({ value: 'one', file }, 'the secret');
    expect(secret()).toBe('one');
    write('secret', 'two\n');
    clock.advance(999);
    expect(secret()).toBe('one');
    clock.advance(1);
    expect(secret()).toBe('two');
    expect(logged).toEqual([]);
  });

  it.each<[string, string, () => unknown]>([
    ['missing', 'ENOENT', () => undefined],
    ['a folder', 'a folder', () => mkdirSync(file, { recursive: true })],
    ['empty', 'empty', () => write('secret', '')],
    ['of two lines', 'not visible ASCII characters without spaces', () => write('secret', 'two\nthree')],
  ])('D35 D26 while it is %s, the last value stays in use, which is logged once', (_, why, spoil) => {
    write('secret', 'one');
    const secret = reloadedSecret({ value: 'one', file }, 'the secret');
    for (const value of ['two', 'three']) {
      const last = secret();
      rmSync(file);
      spoil();
      for (let second = 0; second < 3; second += 1) {
        clock.advance(1_000);
        expect(secret()).toBe(last);
      }
      rmSync(file, { recursive: true, force: true });
      write('secret', value);
      clock.advance(1_000);
      expect(secret()).toBe(value);
    }
    const line = `The file of the secret is unusable (${why}); the last value stays in use`;
    expect(logged).toEqual([line, line]);
  });
});
