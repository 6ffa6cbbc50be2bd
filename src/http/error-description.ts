/**
 * Describes an unexpected error by its name and stack frames alone: its message may carry what a caller sent, and that
 * never goes into a log.
 */
export function withoutMessage(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, message, stack = '' } = error;
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  return [name, ...frames.filter((line) => /^\s+at /.test(line))].join('\n');
}
