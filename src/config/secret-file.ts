import { readFileSync, statSync } from 'node:fs';

const MAX_BYTES = 65_536;

/** A secret, and the file that it came from. */
export interface Secret {
  readonly value: string;
  /** `undefined` where the variable itself holds the value. */
  readonly file: string | undefined;
}

/** What a file contains without the space around it, or what is wrong with the file. */
export interface SecretFile {
  readonly content?: string;
  /** Without path and content. */
  readonly fault?: string;
}

/** Reads a small file, never a device or a pipe, which could block the start. */
export function readSecretFile(path: string, maxBytes = MAX_BYTES): SecretFile {
  const unreadable = { fault: `must name a readable file of at most ${maxBytes} bytes` };
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > maxBytes) return unreadable;
    const content = readFileSync(path, 'utf8').trim();
    return content === '' ? { fault: 'must name a file that is not empty' } : { content };
  } catch {
    return unreadable;
  }
}
