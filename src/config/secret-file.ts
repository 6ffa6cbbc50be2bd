import { readFileSync, statSync } from 'node:fs';

/** A secret, and the file that it came from. */
export interface Secret<T = string> {
  readonly value: T;
  /** `undefined` where the variable itself holds the value. */
  readonly file: string | undefined;
}

const MAX_BYTES = 1_048_576;

/**
 * What a small file contains, without the space around it. Devices and pipes, which could block the start, are not read.
 *
 * @returns `undefined` where the file is unreadable, empty or larger than 1 MiB
 */
export function readSecretFile(path: string): string | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
