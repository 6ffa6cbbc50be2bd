import { Logger } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { isVisibleAscii } from '../common/text';

export interface Secret<T = string> {
  readonly value: T;
  readonly file: string | undefined;
}

const READ_INTERVAL_MS = 1000;

/**
 * The trimmed text of a file in UTF-8, or why there is none: a few words, or the code of the system such as `EACCES`.
 */
export function readSecretFile(path: string): { readonly text?: string; readonly fault?: string } {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { fault: 'empty' } : { text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { fault: code === 'EISDIR' ? 'a folder' : code };
  }
}

/**
 * A secret that may come from a file. The file is read again, once a second at most, so that a secret can be replaced
 * without a restart (D35).
 *
 * @returns a function that returns the last usable value
 */
export function reloadedSecret({ value, file }: Secret, label: string): () => string {
  const logger = new Logger('ReloadedSecret');
  let current = value;
  let isUnusable = false;
  let readAt = -Infinity;
  return () => {
    const now = performance.now();
    if (file === undefined || now - readAt < READ_INTERVAL_MS) return current;
    readAt = now;
    const { text = '', fault = 'not visible ASCII characters without spaces' } = readSecretFile(file);
    const isUsable = isVisibleAscii(text);
    if (isUsable) current = text;
    else if (!isUnusable) logger.warn(`The file of ${label} is unusable (${fault}); the last value stays in use`);
    isUnusable = !isUsable;
    return current;
  };
}
