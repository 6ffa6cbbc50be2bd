import { Logger } from '@nestjs/common';
import { hash } from 'node:crypto';

const QUIET_MS = 60_000;
/** The sentences that are distinguished within a minute; all further ones share one line. */
const MAX_SENTENCES = 100;
const FURTHER_FAILURES = 'Further failures, too many to name each';

/**
 * Logs failures and their end: each sentence at once, then at most once a minute with the number of times since its last line
 * (D81). A sentence must not contain a value from a request or a record, such as an order id: each value would make a new
 * sentence, and so a line for each request.
 */
export class ThrottledLog {
  private readonly logger: Logger;
  /**
   * When each sentence was last logged, and how often it has occurred since. The keys are digests, so that the memory
   * depends on the number of sentences alone: the protocol of a team may make long ones.
   */
  private readonly logged = new Map<string, { at: number; times: number }>();
  private isFailing = false;

  constructor(context: string) {
    this.logger = new Logger(context);
  }

  failed(sentence: string, times = 1): void {
    const now = performance.now();
    const line = this.logged.has(keyOf(sentence)) || this.hasRoom(now) ? sentence : FURTHER_FAILURES;
    const logged = this.logged.get(keyOf(line)) ?? { at: -Infinity, times: 0 };
    this.logged.set(keyOf(line), logged);
    logged.times += times;
    if (now - logged.at < QUIET_MS) return;
    this.isFailing = true;
    this.logger.warn(logged.times === 1 ? line : `${line} (${logged.times} times)`);
    logged.at = now;
    logged.times = 0;
  }

  /** Logs the end of a failure; nothing where no failure was logged before. */
  recovered(sentence: string): void {
    if (!this.isFailing) return;
    this.isFailing = false;
    this.logger.log(sentence);
  }

  private hasRoom(now: number): boolean {
    if (this.logged.size < MAX_SENTENCES) return true;
    for (const [key, { at }] of this.logged) if (now - at >= QUIET_MS) this.logged.delete(key);
    return this.logged.size < MAX_SENTENCES;
  }
}

function keyOf(sentence: string): string {
  return hash('sha256', sentence, 'base64url');
}
