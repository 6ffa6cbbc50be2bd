import { Logger } from '@nestjs/common';

/**
 * Describes an unexpected error by its name, its code, such as `ECONNREFUSED`, and its stack frames. Its message may contain data of a client, which is never
 * logged; that of a `UsageError` has none, and is part of the description.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  const named = /^[A-Z][A-Z0-9_]*$/.test(String(code)) ? `${name} ${String(code)}` : name;
  const title = error instanceof UsageError ? `${name}: ${message}` : named;
  return [title, ...frames.filter((line) => /^\s+at /.test(line))].join('\n');
}

/**
 * The code uses a part of the service in a way that it does not support. `message` is for developers: it is logged, and
 * names classes, properties and options, never a value of a client or of the external system.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

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

/** Whether a function returns instead of throwing. */
export function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
