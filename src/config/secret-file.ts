import { Logger } from '@nestjs/common';
import { readFileSync, statSync } from 'node:fs';
import { isVisibleAscii } from '../common/text';

export interface Secret<T = string> {
  readonly value: T;
  readonly file: string | undefined;
}

const MAX_BYTES = 1_048_576;
const LOOK_INTERVAL_MS = 1000;

/** The trimmed text of a file in UTF-8, or why there is none: a few words, or the code of the system such as `EACCES`. */
export function readSecretFile(path: string): { readonly text?: string; readonly fault?: string } {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return { fault: 'a folder' };
    if (!stats.isFile()) return { fault: 'no regular file' };
    if (stats.size > MAX_BYTES) return { fault: 'larger than 1 MiB' };
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { fault: 'empty' } : { text };
  } catch (error) {
    return { fault: (error as NodeJS.ErrnoException).code };
  }
}

/**
 * A secret that may come from a file. The file is read again when its modification time has changed, so that a secret
 * can be replaced without a restart (D35).
 */
export class ReloadedSecret {
  private readonly logger = new Logger(ReloadedSecret.name);
  private value: string;
  /** The time of change of the file that `value` was read from; `undefined` while the file is unusable. */
  private readAt: number | undefined;
  private isUnusable = false;
  private lookedAt = -Infinity;

  constructor(
    private readonly secret: Secret,
    private readonly label: string,
  ) {
    this.value = secret.value;
  }

  /** The last usable value. The time of change of the file is checked at most once a second. */
  get current(): string {
    const { file } = this.secret;
    const now = performance.now();
    if (file === undefined || now - this.lookedAt < LOOK_INTERVAL_MS) return this.value;
    this.lookedAt = now;
    const changedAt = timeOfChange(file);
    if (changedAt !== undefined && changedAt === this.readAt) return this.value;
    const { text = '', fault = 'not visible ASCII characters without spaces' } = readSecretFile(file);
    const isUsable = isVisibleAscii(text);
    if (isUsable) this.value = text;
    else if (!this.isUnusable) {
      this.logger.warn(`The file of ${this.label} is unusable (${fault}); the last value stays in use`);
    }
    // Only a file that was read is not read again: one that is unusable may become usable at the same time of change,
    // for example where it becomes readable after its content was written.
    this.readAt = isUsable ? changedAt : undefined;
    this.isUnusable = !isUsable;
    return this.value;
  }
}

/** The time of change of a file; `undefined` where it cannot be found out: no file, no permission, a loop of links. */
function timeOfChange(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}
