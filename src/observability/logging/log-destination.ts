import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import type { Counter } from 'prom-client';

/** The most characters that wait while nothing reads the output. */
const MAX_WAITING = 1_048_576;
const MAX_BLOCK = 16_384;
/** The pause before what could not be written is tried again, in milliseconds. */
const RETRY_MS = 50;
/** Control and format characters, which could move the cursor, change colours or reverse the direction of text. */
const UNPRINTABLE = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Writes the lines of pino to standard output. It never blocks, nor keeps `process.exit()` from ending the process, also
 * where nothing reads the output: up to 1 MiB waits, later lines are dropped and counted.
 */
export class LogDestination {
  /** The lines of this turn of the event loop: they are one write, because a write for each takes 8 % of a request. */
  private block = '';
  private lines = 0;
  private readonly output = standardOutput();

  constructor(
    private readonly dropped: Counter,
    private readonly format = (line: string): string => line,
  ) {
    process.once('exit', this.flush);
  }

  write(line: string): void {
    if (this.output.writableLength > MAX_WAITING) {
      this.dropped.inc();
      return;
    }
    if (this.block === '') setImmediate(this.flush).unref();
    this.block += this.format(line);
    this.lines += 1;
    if (this.block.length >= MAX_BLOCK) this.flush();
  }

  private readonly flush = (): void => {
    const { block, lines } = this;
    if (block === '') return;
    this.block = '';
    this.lines = 0;
    this.output.write(block, (error) => {
      if (error) this.dropped.inc(lines);
    });
  };
}

function standardOutput(): Writable {
  const kind = fstatSync(1);
  if (!kind.isFIFO() && !kind.isSocket()) return fileOutput();
  const socket = new Socket({ fd: 1, readable: false, writable: true });
  // The reader has gone: each write that fails counts its line.
  return socket.unref().on('error', () => undefined);
}

/** A stream to a file, whose writes do not block. What cannot be written now (a stopped terminal, a full disk) waits. */
function fileOutput(): Writable {
  const fd = isatty(1) ? openTerminal() : 1;
  function write(bytes: Buffer, encoding: string, done: () => void): void {
    try {
      const written = writeSync(fd, bytes);
      if (written === bytes.length) done();
      else write(bytes.subarray(written), encoding, done);
    } catch {
      setTimeout(write, RETRY_MS, bytes, encoding, done).unref();
    }
  }
  return new Writable({ write });
}

/** Opens a terminal anew, because a write to a stopped one (Ctrl-S) would block. Only Linux opens it without blocking. */
function openTerminal(): number {
  try {
    return openSync('/dev/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 1;
  }
}

export async function prettyFormat(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize: false,
    singleLine: true,
    ignore: 'pid,hostname,trace_id,span_id',
    translateTime: 'SYS:HH:MM:ss',
    // A stack has a row for each frame.
    errorLikeObjectKeys: ['stack'],
    customPrettifiers: { stack: String },
  });
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return (line) => pretty(line).replace(UNPRINTABLE, escaped);
}
