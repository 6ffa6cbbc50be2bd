import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Finds the file, the line and the column of a stack frame. */
const FRAME = /^\s+at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]+):(\d+):(\d+)\)?$/;
/** A text without placeholders, in quotes of whichever kind. */
const LITERAL = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`/.source;
/** A constructor whose first argument, if any, is such a text, or several that are joined. */
const CONSTRUCTION = new RegExp(
  `^new\\s+[\\w$.]+\\s*(?:;|\\(\\s*(?:\\)|((?:${LITERAL})(?:\\s*\\+\\s*(?:${LITERAL}))*)\\s*[,)]))`,
);
/** Messages of V8 that quote source text: names of the code, which have to stand in the line that failed. */
const QUOTING = [
  /^Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '([\w$]+)'\)$/,
  /^Cannot destructure property '([\w$]+)' of '([\w$.]+)' as it is (?:undefined|null)\.$/,
  /^(?:\(intermediate value\))?([\w$.]+) is not (?:a function|a constructor|iterable|defined)$/,
];
/** Messages of V8 without any value; what follows the last one, in lines of its own, is left out. */
const CONSTANT: ReadonlySet<string> = new Set([
  'Assignment to constant variable.',
  'Do not know how to serialize a BigInt',
  'Invalid array length',
  'Invalid time value',
  'Maximum call stack size exceeded',
  'Reduce of empty array with no initial value',
  'Converting circular structure to JSON',
]);
/** The most characters of a line that are looked at: a bundle may be one line of megabytes. */
const MAX_CODE = 1000;
/** Far more places than a program has that throw unexpectedly; beyond, all are read again. */
const MAX_PLACES = 1000;

interface Place {
  readonly file: string;
  /** The code around the position: the line, or the nearest part of a long one. */
  readonly line: string;
  /** The code from the position on. */
  readonly code: string;
}

/** Places that were read: the same error may be thrown for every request. */
const places = new Map<string, Place | undefined>();

/**
 * The message of an error where it was made by code alone, so that it cannot hold a value of a client (D81): the code
 * that made the error gave it a literal or nothing, the message is one of V8 about names in that code, or Nest's query
 * bus names a class. What cannot be told from the first stack frame is not returned.
 */
export function messageOfCode({ message, name }: Error, [frame = '']: readonly string[]): string | undefined {
  const [firstLine = ''] = message.split('\n', 1);
  if (CONSTANT.has(firstLine)) return firstLine;
  if (message === '') return undefined;
  const place = places.has(frame) ? places.get(frame) : read(frame);
  if (place === undefined) return undefined;
  const { file, line, code } = place;
  const [construction, texts] = CONSTRUCTION.exec(code) ?? [];
  if (construction !== undefined) return texts === undefined || unquoted(texts) === message ? message : undefined;
  if (/[\\/]@nestjs[\\/]cqrs[\\/]/.test(file) && code.startsWith('new ')) return message;
  if (name !== 'TypeError' && name !== 'ReferenceError') return undefined;
  const quoted = QUOTING.map((pattern) => pattern.exec(message)?.slice(1)).find((names) => names !== undefined);
  return quoted?.every((text) => line.includes(text)) === true ? message : undefined;
}

function unquoted(texts: string): string {
  const parts = texts.match(new RegExp(LITERAL, 'g')) ?? [];
  return parts.map((part) => part.slice(1, -1).replace(/\\(.)/g, '$1')).join('');
}

function read(frame: string): Place | undefined {
  const [, file = '', line = '', column = ''] = FRAME.exec(frame) ?? [];
  if (places.size >= MAX_PLACES) places.clear();
  const place = file === '' ? undefined : placeIn(file, Number(line) - 1, Number(column) - 1);
  places.set(frame, place);
  return place;
}

/** @returns `undefined` where the file cannot be read, such as one that a source map names and that was not deployed */
function placeIn(file: string, line: number, column: number): Place | undefined {
  try {
    const lines = readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8').split('\n');
    const code = lines
      .slice(line, line + 10)
      .join('\n')
      .slice(column, column + MAX_CODE);
    return { file, line: (lines[line] ?? '').slice(Math.max(0, column - MAX_CODE), column + MAX_CODE), code };
  } catch {
    return undefined;
  }
}
