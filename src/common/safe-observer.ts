import { Logger } from '@nestjs/common';
import { describeError } from './error-description';

const logger = new Logger('Observer');
let reported = false;

/** Runs an observer, such as metrics or a log. What it throws never reaches the observed request; the first is logged. */
export function notify(observer: () => void): void {
  try {
    observer();
  } catch (error) {
    report(error);
  }
}

function report(error: unknown): void {
  if (reported) return;
  reported = true;
  try {
    logger.error(`An observer failed: ${describeError(error)}`);
  } catch {
    // The log is the observer that failed.
  }
}
