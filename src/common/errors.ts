import { HttpException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';

/**
 * A mistake in code of the service or of a team. Its message is logged, and therefore has no value of a client or a record.
 * With a cause, its stack frames are those of the cause.
 */
export class LoggedError extends Error {
  override readonly name = 'LoggedError';
}

/** Describes an error by name, code and stack frames; by its message only where it is a {@link LoggedError}. */
export function describeError(error: unknown): string {
  if (error instanceof LoggedError) return [error.message, ...framesOf(error.cause ?? error)].join('\n');
  return [titleOf(error), ...framesOf(error)].join('\n');
}

/** The kind of what was thrown: name and code of an error, without its message. */
export function titleOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, code } = error as NodeJS.ErrnoException;
  return /^[A-Z][A-Z0-9_]*$/.test(String(code)) ? `${name} ${String(code)}` : name;
}

function framesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { message, stack = '' } = error;
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  return frames.filter((line) => /^\s+at /.test(line));
}

const nest = new BaseExceptionFilter();

/**
 * The HTTP status that an exception asks for, or `undefined`. As in Nest, an `Error` asks for one where it is an
 * `HttpException`, of Fastify or of `http-errors`: the `statusCode` of other errors is what a library got from elsewhere.
 * Any other object asks by its `statusCode`, or here also by its `status`, and needs a message.
 */
export function statusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  const isPlain = typeof exception === 'object' && exception !== null && !(exception instanceof Error);
  const candidate: unknown = isPlain
    ? { statusCode: (exception as { status?: unknown }).status, ...exception }
    : exception;
  return nest.isHttpError(candidate) ? candidate.statusCode : undefined;
}

export function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
