import { HttpException, type Logger } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';

/**
 * One thing that was missing or wrong, for those who have to mend it: log lines and spans print it, and no client sees
 * it (D81). It contains no value of a record or a client.
 */
export interface Cause {
  /** What it was, such as `text`, `records without an Id` or `status 503`. */
  readonly what: string;
  /** The field of a response in which it was, such as `TotalWeight`. */
  readonly field?: string;
  /** How many values or records it concerns; absent where it concerns the response as a whole. */
  readonly count?: number;
}

/** The sentence for one or several causes, such as `TotalWeight: text (3), records without an Id (2)`. */
export function printCauses(causes: readonly Cause[]): string {
  const sentences = causes.map(({ what, field, count }) => {
    const sentence = field === undefined ? what : `${field}: ${what}`;
    return count === undefined ? sentence : `${sentence} (${count})`;
  });
  return sentences.join(', ');
}

/**
 * A mistake in code of the service or of a protocol, whose message holds no value of a client or of the external system,
 * so that it is the cause in the log line and in the span of a request (D86).
 */
export class LoggedError extends Error {
  override readonly name = 'LoggedError';
}

/** Logs an unexpected error as any Nest application does: name, message and stack, and those of its causes (D81). */
export function logUnexpected(logger: Logger, error: unknown, ids: { requestId: string; trace_id?: string }): void {
  const thrown = error instanceof Error ? [error] : [];
  const text = error instanceof LoggedError ? error.message : titleOf(error);
  logger.error(`Unexpected error: ${typeof error === 'string' ? error : text}`, ...thrown, ids);
}

/** Names what was thrown, an error by name and code, without its message, which may hold data of clients. */
export function titleOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { code } = error as NodeJS.ErrnoException;
  // Exceptions of Nest's query bus, among others, have no name of their own.
  const name = error.name === 'Error' ? error.constructor.name : error.name;
  return /^[A-Z][A-Z0-9_]*$/.test(String(code)) ? `${name} ${String(code)}` : name;
}

const nest = new BaseExceptionFilter();

/**
 * The HTTP status of the response to an exception; `undefined` where the exception names none. As in Nest, of errors
 * only an `HttpException` and those of Fastify and `http-errors` name one: the `statusCode` of another error, such as
 * one of axios, is that of a response that a library got, not of ours. Any other object names it by `statusCode`, or by
 * `status`, which Nest does not read, and has to have a message.
 */
export function statusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  const isPlain = typeof exception === 'object' && exception !== null && !(exception instanceof Error);
  const { status } = Object(exception) as { readonly status?: unknown };
  const candidate = isPlain ? { statusCode: status, ...exception } : exception;
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
