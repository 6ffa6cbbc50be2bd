/**
 * Describes an unexpected error by its name, its code, such as `ECONNREFUSED`, and its stack frames. Its message may
 * contain data of a client, and is never logged.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  const title = /^[A-Z][A-Z0-9_]*$/.test(String(code)) ? `${name} ${String(code)}` : name;
  return [title, ...frames.filter((line) => /^\s+at /.test(line))].join('\n');
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
