import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'artifacts', 'reports', '.git', '.stryker-tmp']);
/** Bounds hangs. */
const LONGEST_COMMAND_MS = 600_000;

export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** A copy of the project in a temporary folder, which shares its packages. */
export class ProjectCopy {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'new-query-')));

  constructor(original: string) {
    cpSync(original, this.root, {
      recursive: true,
      filter: (path) => path === original || !LEFT_OUT.has(basename(path)),
    });
    symlinkSync(realpathSync(join(original, 'node_modules')), join(this.root, 'node_modules'));
  }

  run(command: string, ...given: readonly string[]): Outcome {
    const options = { cwd: this.root, encoding: 'utf8', timeout: LONGEST_COMMAND_MS } as const;
    const { status, stdout, stderr } = spawnSync(command, given, options);
    return { ok: status === 0, output: `${stdout}${stderr}` };
  }

  /** One hash of names and contents of all files. */
  hash(): string {
    const hash = createHash('sha256');
    for (const path of this.files()) hash.update(JSON.stringify([path, readFileSync(join(this.root, path), 'utf8')]));
    return hash.digest('hex');
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private files(folder = ''): string[] {
    const entries = readdirSync(join(this.root, folder), { withFileTypes: true });
    return entries
      .filter(({ name }) => !LEFT_OUT.has(name))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
      .flatMap((entry) => (entry.isDirectory() ? this.files(join(folder, entry.name)) : [join(folder, entry.name)]));
  }
}
