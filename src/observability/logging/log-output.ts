import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, WriteStream } from 'node:tty';
import { Counter, type Registry } from 'prom-client';

/** Lines are written in blocks that fit into one write of 16 KiB. */
const BLOCK_CHARACTERS = 15_000;
/** The longest time that a line waits for its block, in milliseconds. */
const FLUSH_MS = 100;
/** The most characters that wait while nothing reads the output. */
const MAX_WAITING = 1_048_576;

/** The part of a stream that receives the log. */
export interface LogSink {
  readonly writableLength: number;
  /** Whether it takes no more lines, because its reader has gone. */
  readonly destroyed: boolean;
  write(bytes: Buffer): unknown;
  once(event: 'drain', listener: () => void): unknown;
}

/**
 * Writes log lines without ever blocking. While nothing reads the output up to 1 MiB waits, later lines are dropped and
 * counted, and their number is logged once lines flow again.
 *
 * An asynchronous pino destination blocks a thread in `write` there, for which the exit of the process waits.
 */
export class LogOutput {
  private block = '';
  private timer: NodeJS.Timeout | undefined;
  private droppedLines = 0;
  private unreported = 0;
  private draining = false;

  constructor(
    private readonly sink: LogSink,
    /** Writes synchronously, as far as the output takes it. */
    private readonly writeNow: (bytes: Buffer) => void,
    /** The form in which a JSON line is written. */
    private readonly format: (line: string) => string = (line) => line,
  ) {}

  /** The log output of the process. Files are written synchronously: they always take lines. */
  static ofProcess(format?: (line: string) => string, fd = 1): LogOutput {
    if (isatty(fd)) {
      const terminal = terminalOf(fd);
      return new LogOutput(terminal, (bytes) => terminal.write(bytes), format);
    }
    const writeNow = (bytes: Buffer): void => {
      try {
        writeSync(fd, bytes);
      } catch {
        // Nothing reads the output.
      }
    };
    const kind = fstatSync(fd);
    if (!kind.isFIFO() && !kind.isSocket()) return new LogOutput(synchronous(writeNow), writeNow, format);
    const socket = new Socket({ fd, readable: false, writable: true });
    // The reader has gone.
    socket.on('error', () => undefined);
    socket.unref();
    return new LogOutput(socket, writeNow, format);
  }

  /** Lines that were dropped since the start. */
  get dropped(): number {
    return this.droppedLines;
  }

  write(line: string): void {
    if (this.sink.destroyed || this.block.length + this.sink.writableLength > MAX_WAITING) {
      this.droppedLines += 1;
      this.unreported += 1;
      this.reportWhenDrained();
      return;
    }
    this.block += this.format(line);
    if (this.block.length >= BLOCK_CHARACTERS) this.flush();
    else this.timer ??= setTimeout(this.flush, FLUSH_MS).unref();
  }

  /** Writes what waits, as far as the output takes it at once: at the exit of the process. */
  flushNow(): void {
    clearTimeout(this.timer);
    if (this.sink.writableLength === 0) this.writeNow(Buffer.from(this.block));
    this.block = '';
  }

  private readonly flush = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { block } = this;
    this.block = '';
    // As bytes: a text of many joined pieces takes several times their memory while it waits.
    this.sink.write(Buffer.from(block));
  };

  private reportWhenDrained(): void {
    if (this.draining) return;
    this.draining = true;
    this.sink.once('drain', () => {
      this.draining = false;
      const lines = this.unreported;
      this.unreported = 0;
      this.write(`${JSON.stringify({ level: 40, time: Date.now(), lines, msg: `${lines} log lines were dropped` })}\n`);
    });
  }
}

/** A terminal that takes no lines, because it is stopped (Ctrl-S), must not stop the process. */
function terminalOf(fd: number): WriteStream {
  const terminal: WriteStream & { _handle?: { setBlocking?(blocks: boolean): void } } = new WriteStream(fd);
  // Node makes writes to terminals synchronous and has no public option for it.
  terminal._handle?.setBlocking?.(false);
  terminal.on('error', () => undefined);
  terminal.unref();
  return terminal;
}

function synchronous(write: (bytes: Buffer) => void): LogSink {
  return { writableLength: 0, destroyed: false, write, once: () => undefined };
}

/** Whether log lines are written as readable text. */
export function isPretty(format: 'auto' | 'pretty' | 'json', isTerminal: boolean): boolean {
  return format === 'pretty' || (format === 'auto' && isTerminal);
}

/** Registers the counter of dropped log lines. */
export function countDroppedLines(registry: Registry, dropped: () => number): void {
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that were dropped because nothing read the output',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(dropped());
    },
  });
}
