import { HttpException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { LRUCache } from 'lru-cache';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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

/** Finds the file, the line and the column of a stack frame. */
const FRAME = /^\s+at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]+):(\d+):(\d+)\)?$/;
/** A text without placeholders, in quotes of whichever kind. */
const LITERAL = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`/.source;
/** A constructor whose first argument, if any, is such a text, or several that are joined. */
const CONSTRUCTION = new RegExp(
  `^new\\s+[\\w$.]+\\s*(?:;|\\(\\s*(?:\\)|((?:${LITERAL})(?:\\s*\\+\\s*(?:${LITERAL}))*)\\s*[,)]))`,
);
const ERRORS_OF_V8: readonly string[] = ['TypeError', 'ReferenceError', 'RangeError'];
/**
 * Messages of V8. Those with groups quote source text: names of the code, which have to stand in the line that failed.
 * The other ones have no value in their first line.
 */
const MESSAGES_OF_V8 = [
  /^Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '([\w$]+)'\)$/,
  /^Cannot destructure property '([\w$]+)' of '([\w$.]+)' as it is (?:undefined|null)\.$/,
  /^(?:\(intermediate value\))?([\w$.]+) is not (?:a function|a constructor|iterable|defined)$/,
  /^(?:Assignment to constant variable|Reduce of empty array with no initial value)\.?$/,
  /^(?:Invalid array length|Invalid time value|Maximum call stack size exceeded)$/,
  /^(?:Converting circular structure to JSON|Do not know how to serialize a BigInt)$/,
];
/** The most characters of a line that are looked at: a bundle may be one line of megabytes. */
const MAX_CODE = 1000;

interface Place {
  readonly file: string;
  /** The code around the position: the line, or the nearest part of a long one. */
  readonly line: string;
  /** The code from the position on. */
  readonly code: string;
}

/** Places that were read, by their stack frames: the same error may be thrown for every request. */
const places = new LRUCache<string, Place>({ max: 1000, memoMethod: placeOf });

/**
 * The message of an error where it was made by code alone, so that it cannot hold a value of a client (D81): the code
 * that made the error gave it a literal or nothing, the message is one of V8 about names in that code, or Nest's query
 * bus names a class. `undefined` where the first stack frame does not show that.
 */
function messageOfCode({ message, name }: Error, [frame = '']: readonly string[]): string | undefined {
  if (message === '') return undefined;
  const { file, line, code } = places.memo(frame);
  const [construction, texts] = CONSTRUCTION.exec(code) ?? [];
  if (construction !== undefined) return texts === undefined || unquoted(texts) === message ? message : undefined;
  if (/[\\/]@nestjs[\\/]cqrs[\\/]/.test(file) && code.startsWith('new ')) return message;
  if (!ERRORS_OF_V8.includes(name)) return undefined;
  const [firstLine = ''] = message.split('\n', 1);
  const match = MESSAGES_OF_V8.map((pattern) => pattern.exec(firstLine)).find((found) => found !== null);
  return match?.slice(1).every((quoted) => line.includes(quoted)) === true ? firstLine : undefined;
}

function unquoted(texts: string): string {
  const parts = texts.match(new RegExp(LITERAL, 'g')) ?? [];
  return parts.map((part) => part.slice(1, -1).replace(/\\(.)/g, '$1')).join('');
}

/** @returns no code where the file cannot be read, such as one that a source map names and that was not deployed */
function placeOf(frame: string): Place {
  const [, file = '', line = '', column = ''] = FRAME.exec(frame) ?? [];
  try {
    const lines = readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8').split('\n');
    const following = lines.slice(Number(line) - 1, Number(line) + 9);
    const start = Number(column) - 1;
    const nearest = (following[0] ?? '').slice(Math.max(0, start - MAX_CODE), start + MAX_CODE);
    const code = following.join('\n').slice(start, start + MAX_CODE);
    return { file, line: copyOf(nearest), code: copyOf(code) };
  } catch {
    return { file, line: '', code: '' };
  }
}

/** V8 makes a part of a text refer to the whole text: a thousand places would keep as many copies of a bundle. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
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
