import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of a file of the repository, by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(__dirname, '../..', path), 'utf8');
}
