import { UsageError } from './usage-error';

/**
 * Describes an unexpected error by its name and stack frames. Its message may contain data of a client, which is never
 * logged; that of a `UsageError` has none, and is part of the description.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, message, stack = '' } = error;
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  const title = error instanceof UsageError ? `${name}: ${message}` : name;
  return [title, ...frames.filter((line) => /^\s+at /.test(line))].join('\n');
}
