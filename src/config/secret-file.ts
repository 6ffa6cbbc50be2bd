import { Logger } from '@nestjs/common';
import { readFileSync, statSync } from 'node:fs';
import { isVisibleAscii } from '../common/text';

export interface Secret<T = string> {
  readonly value: T;
  readonly file: string | undefined;
}

const MAX_BYTES = 1_048_576;
const LOOK_INTERVAL_MS = 1000;

/**
 * The trimmed text of a file in UTF-8; `undefined` where the file is unreadable, empty, over 1 MiB or no regular file.
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

/**
 * A secret that may come from a file. The file is read again when its modification time has changed, so that a secret
 * can be replaced without a restart (D35).
 */
export class ReloadedSecret {
  private readonly logger = new Logger(ReloadedSecret.name);
  private value: string;
  private changedAt: number | undefined;
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
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt === this.changedAt) return this.value;
    this.changedAt = changedAt;
    const content = readSecretFile(file) ?? '';
    if (isVisibleAscii(content)) this.value = content;
    else this.logger.warn(`The file of ${this.label} is unusable; the last value stays in use`);
    return this.value;
  }
}
