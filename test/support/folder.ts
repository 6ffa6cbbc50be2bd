import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Folder {
  readonly folder: string;
  /** Writes a file. Returns its path. */
  readonly file: (name: string, content: string) => string;
}

/** A temporary folder for all tests of a suite, after which it is removed. */
export function useFolder(): Folder {
  const folder = mkdtempSync(join(tmpdir(), 'suite-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  return { folder, file };
}
