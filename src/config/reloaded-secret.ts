import { Logger } from '@nestjs/common';
import { statSync } from 'node:fs';
import { readSecretFile, type Secret } from './secret-file';
import { isVisibleAscii } from './value-formats';

const LOOK_INTERVAL_MS = 1000;

/** A secret whose file, if it has one, is read again when its time of change differs. */
export class ReloadedSecret {
  private readonly logger = new Logger(ReloadedSecret.name);
  private value: string;
  private changedAt: number | undefined;
  private lookedAt = -Infinity;

  /** @param label what the secret is, for the log */
  constructor(
    private readonly secret: Secret,
    private readonly label: string,
  ) {
    this.value = secret.value;
  }

  /** The last usable value; the file is looked at no more than once a second. */
  get current(): string {
    const { file } = this.secret;
    const now = performance.now();
    if (file !== undefined && now - this.lookedAt >= LOOK_INTERVAL_MS) {
      this.lookedAt = now;
      this.look(file);
    }
    return this.value;
  }

  private look(file: string): void {
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt === this.changedAt) return;
    this.changedAt = changedAt;
    const content = readSecretFile(file) ?? '';
    if (isVisibleAscii(content)) this.value = content;
    else this.logger.warn(`The file of ${this.label} is unusable; the last value stays in use`);
  }
}
