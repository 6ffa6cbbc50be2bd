import { Logger } from '@nestjs/common';

const QUIET_MS = 60_000;

/** Logs failures and their end, the same line at most once a minute. */
export class FailureLog {
  private readonly logger: Logger;
  private readonly loggedAt = new Map<string, number>();
  isFailing = false;

  constructor(context: string) {
    this.logger = new Logger(context);
  }

  failed(message: string): void {
    if (!this.isDue(message)) return;
    this.isFailing = true;
    this.logger.warn(message);
  }

  /** Logs nothing unless a failure was logged before. */
  recovered(message: string): void {
    if (!this.isFailing || !this.isDue(message)) return;
    this.isFailing = false;
    this.logger.log(message);
  }

  private isDue(message: string): boolean {
    const now = performance.now();
    if (now - (this.loggedAt.get(message) ?? -Infinity) < QUIET_MS) return false;
    this.loggedAt.set(message, now);
    return true;
  }
}
