import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { Counter, type Registry } from 'prom-client';

const MAX_WAITING = 1_048_576;
const MAX_BLOCK = 16_384;
const RETRY_MS = 50;
/** Lines are written together so long after the first of them: a write for each would take 8 % of the time of a request. */
const COLLECT_MS = 10;

/**
 * The destinations with lines that are not written yet. One listener writes them when the process exits: with one for
 * each, applications that are closed would leave theirs behind.
 */
const waiting = new Set<LogDestination>();
process.once('exit', () => {
  for (const destination of waiting) destination.flush();
});

/** Writes log lines to standard output without blocking (D39). Where nothing reads, 1 MiB waits; more is dropped. */
export class LogDestination {
  /** The lines that are not written yet. */
  private block = '';
  private readonly output = standardOutput();
  private readonly dropped: Counter;

  constructor(
    registry: Registry,
    private readonly format = (line: string): string => line,
  ) {
    const help = 'Log lines that were dropped because nothing read the output';
    this.dropped = new Counter({ name: 'log_lines_dropped_total', help, registers: [registry] });
  }

  write(line: string): void {
    if (this.output.writableLength > MAX_WAITING) {
      this.dropped.inc();
      return;
    }
    if (this.block === '') {
      waiting.add(this);
      setTimeout(this.flush, COLLECT_MS).unref();
    }
    this.block += this.format(line);
    if (this.block.length >= MAX_BLOCK) this.flush();
  }

  readonly flush = (): void => {
    const { block } = this;
    if (block === '') return;
    waiting.delete(this);
    this.block = '';
    this.output.write(block, (error) => {
      if (error) this.dropped.inc(block.split('\n').length - 1);
    });
  };
}

function standardOutput(): Writable {
  const kind = fstatSync(1);
  if (!kind.isFIFO() && !kind.isSocket()) return fileOutput();
  const socket = new Socket({ fd: 1, readable: false, writable: true });
  // Where a write fails, the callback in `flush` has counted its lines as dropped, and nothing more is to be done.
  // Without this listener, the error would end the process.
  return socket.unref().on('error', () => undefined);
}

/** A stream to a file or terminal. What cannot be written (stopped terminal, full disk) waits and is tried again. */
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

/**
 * Opens the terminal once more, in a mode in which a write does not block the process while the terminal is stopped
 * (Ctrl-S). Only Linux can do this; elsewhere the usual descriptor is used.
 */
function openTerminal(): number {
  try {
    return openSync('/dev/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 1;
  }
}
