import { Logger } from '@nestjs/common';

const QUIET_MS = 60_000;
const OTHERS = 'Further failures, too many to name each';

/** When a sentence was last logged, and how often it has occurred since. */
interface Logged {
  at: number;
  /** Failures that no line has counted yet. */
  times: number;
}

/**
 * Logs failures and their end: a sentence at most once a minute, with the number of times since its line before.
 * Sentences name no value of a client or a record, because each new sentence is a new line.
 */
export class FailureLog {
  private readonly logger: Logger;
  private readonly logged = new Map<string, Logged>();
  isFailing = false;

  /** @param maxSentences how many sentences are held at once; all further ones share one line a minute */
  constructor(
    context: string,
    private readonly maxSentences = 100,
  ) {
    this.logger = new Logger(context);
  }

  failed(sentence: string, times = 1): void {
    const line = this.logged.has(sentence) || this.hasRoom() ? sentence : OTHERS;
    const count = this.countIfDue(line, times);
    if (count === 0) return;
    this.isFailing = true;
    this.logger.warn(count === 1 ? line : `${line} (${count} times)`);
  }

  /** Logs nothing unless a failure was logged before. */
  recovered(sentence: string): void {
    if (!this.isFailing || this.countIfDue(sentence, 1) === 0) return;
    this.isFailing = false;
    this.logger.log(sentence);
  }

  private hasRoom(): boolean {
    if (this.logged.size < this.maxSentences) return true;
    const now = performance.now();
    for (const [sentence, { at }] of this.logged) if (now - at >= QUIET_MS) this.logged.delete(sentence);
    return this.logged.size < this.maxSentences;
  }

  /** @returns how many times the sentence has to be logged with; 0 where a line has named it within the last minute */
  private countIfDue(sentence: string, times: number): number {
    const now = performance.now();
    const logged = this.logged.get(sentence) ?? { at: -Infinity, times: 0 };
    this.logged.set(sentence, logged);
    logged.times += times;
    if (now - logged.at < QUIET_MS) return 0;
    const count = logged.times;
    logged.at = now;
    logged.times = 0;
    return count;
  }
}
