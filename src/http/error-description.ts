/**
 * Describes an unexpected error by its name and stack frames alone: its message may carry what a caller sent, and that
 * never goes into a log.
 */
export function withoutMessage(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join('\n');
}
