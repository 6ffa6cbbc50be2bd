import type { LoggerService } from '@nestjs/common';
import { statSync } from 'node:fs';

const CHECK_INTERVAL_MS = 1000;

/** Options of {@link ReloadedFiles}. */
export interface ReloadedFilesOptions<T> {
  readonly paths: readonly string[];
  /** Reads the files. `undefined`: unreadable, empty or not fitting together. */
  readonly load: () => T | undefined;
  /** What the files contained at start. */
  readonly initial: T;
  /** What the files are, for the log; no path. */
  readonly label: string;
  readonly logger: Pick<LoggerService, 'log' | 'warn'>;
}

/**
 * A value that is read again when its files change: by modification time, size or inode, so that symbolic links may be
 * replaced. Unusable files keep the last value, which is logged once.
 */
export class ReloadedFiles<T> {
  private value: T;
  private version: string | undefined;
  private checkedAt = -Infinity;
  private isUnusable = false;

  constructor(private readonly options: ReloadedFilesOptions<T>) {
    this.value = options.initial;
  }

  /** The last usable value. The files are checked at most once a second. */
  get current(): T {
    const now = performance.now();
    if (now - this.checkedAt < CHECK_INTERVAL_MS) return this.value;
    this.checkedAt = now;
    const version = this.options.paths.map(versionOf).join();
    return version === this.version ? this.value : this.read(version);
  }

  /** Reads the files now, changed or not. */
  reload(): T {
    return this.read(this.options.paths.map(versionOf).join());
  }

  private read(version: string): T {
    const { load, label, logger } = this.options;
    const loaded = load();
    if (loaded === undefined) {
      if (!this.isUnusable) logger.warn(`${label} is unusable; the last value stays in use`);
    } else {
      if (this.isUnusable) logger.log(`${label} is usable again`);
      this.value = loaded;
      this.version = version;
    }
    this.isUnusable = loaded === undefined;
    return this.value;
  }
}

function versionOf(path: string): string {
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path);
    return [mtimeMs, ctimeMs, size, ino].join(':');
  } catch {
    return 'missing';
  }
}
