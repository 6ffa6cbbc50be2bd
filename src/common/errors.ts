import { HttpException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { messageOfCode } from './message-of-code';

/**
 * A mistake in code of the service, or of an application that extends it. Other errors are logged with their message
 * only where it was made by code; this one always is, so that the message must not contain data of clients or of the
 * external system.
 * The logged stack frames are those of its `cause`, where it has one.
 */
export class LoggedError extends Error {
  override readonly name = 'LoggedError';
}

/** Describes an error by its title and its stack frames; a {@link LoggedError} by its message instead of the title. */
export function describeError(error: unknown): string {
  if (error instanceof LoggedError) return [error.message, ...framesOf(error.cause ?? error)].join('\n');
  return [titleOf(error), ...framesOf(error)].join('\n');
}

/**
 * Names what was thrown: an error by name and code, with its message only where that was made by code (D81). Any other
 * message may contain data of clients.
 */
export function titleOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { code } = error as NodeJS.ErrnoException;
  // Exceptions of Nest's query bus, among others, have no name of their own.
  const name = error.name === 'Error' ? error.constructor.name : error.name;
  const named = /^[A-Z][A-Z0-9_]*$/.test(String(code)) ? `${name} ${String(code)}` : name;
  const message = messageOfCode(error, framesOf(error));
  return message === undefined ? named : `${named}: ${message}`;
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
 * The HTTP status of the response to an exception; `undefined` where the exception names none. As in Nest, of errors
 * only an `HttpException` and those of Fastify and `http-errors` name one: the `statusCode` of another error, such as
 * one of axios, is that of a response that a library got, not of ours. Any other object names it by `statusCode`, or by
 * `status`, which Nest does not read, and has to have a message.
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
