import { readFileSync, statSync } from 'node:fs';

const MAX_BYTES = 65_536;
const UNREADABLE = `must name a readable file of at most ${MAX_BYTES} bytes`;

/** What a file contains without the space around it, or what is wrong with the file. */
export interface SecretFile {
  readonly content?: string;
  /** Without path and content. */
  readonly fault?: string;
}

/** Reads a small file, never a device or a pipe, which could block the start. */
export function readSecretFile(path: string): SecretFile {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MAX_BYTES) return { fault: UNREADABLE };
    const content = readFileSync(path, 'utf8').trim();
    return content === '' ? { fault: 'must name a file that is not empty' } : { content };
  } catch {
    return { fault: UNREADABLE };
  }
}
