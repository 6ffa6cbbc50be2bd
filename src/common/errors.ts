import { HttpException } from '@nestjs/common';

/** Describes an error by name, code and stack frames, without its message, which may contain data of a client. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  const title = /^[A-Z][A-Z0-9_]*$/.test(String(code)) ? `${name} ${String(code)}` : name;
  return [title, ...frames.filter((line) => /^\s+at /.test(line))].join('\n');
}

/** Fields that libraries give an exception with a status: `http-errors` sets all, Fastify and plain objects some. */
export interface StatusException {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly status?: unknown;
  /** `false` where the message must not reach clients. */
  readonly expose?: unknown;
}

/**
 * The HTTP status that an exception asks for, or `undefined`. As in Nest, an `Error` asks for one where it is an
 * `HttpException`, of Fastify or of `http-errors`: the `statusCode` of other errors is what a library got from elsewhere.
 */
export function statusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  if (typeof exception !== 'object' || exception === null) return undefined;
  const { name, message, statusCode, status, expose } = exception as StatusException;
  const given = statusCode ?? status;
  const isOfHttpErrors = typeof expose === 'boolean' && status === statusCode;
  const asks = exception instanceof Error ? isOfHttpErrors || name === 'FastifyError' : isText(message);
  return asks && Number.isInteger(given) && Number(given) >= 400 && Number(given) < 600 ? Number(given) : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

export function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
