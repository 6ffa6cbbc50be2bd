import { EventEmitter } from 'node:events';
import { isPretty, LogOutput } from './log-output';

class Sink extends EventEmitter {
  writableLength = 0;
  destroyed = false;
  readonly written: string[] = [];
  stalled = false;

  write(bytes: Buffer): void {
    if (this.stalled) this.writableLength += bytes.length;
    else this.written.push(bytes.toString());
  }
}

describe('LogOutput', () => {
  const LINE = `${'x'.repeat(999)}\n`;
  let sink: Sink;
  let now: string[];
  let output: LogOutput;

  beforeEach(() => {
    jest.useFakeTimers();
    sink = new Sink();
    now = [];
    output = new LogOutput(sink, (bytes) => now.push(bytes.toString()));
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('writes lines in blocks of 15,000 characters', () => {
    for (let line = 0; line < 15; line += 1) output.write(LINE);
    expect(sink.written).toEqual([LINE.repeat(15)]);
  });

  it('writes a smaller block after 100 ms', () => {
    output.write(LINE);
    jest.advanceTimersByTime(99);
    expect(sink.written).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(sink.written).toEqual([LINE]);
  });

  it('D39 keeps 1 MiB while nothing reads, drops and counts the rest, and reports it once lines flow', () => {
    sink.stalled = true;
    for (let line = 0; line < 1_100; line += 1) output.write(LINE);
    expect(sink.writableLength).toBeGreaterThan(1_000_000);
    expect(output.dropped).toBe(1_100 - Math.ceil(1_048_577 / LINE.length));
    sink.stalled = false;
    sink.writableLength = 0;
    sink.emit('drain');
    jest.advanceTimersByTime(100);
    expect(sink.written.join('')).toContain(`"msg":"${output.dropped} log lines were dropped"`);
    output.write(LINE);
    jest.advanceTimersByTime(100);
    expect(sink.written.at(-1)).toBe(LINE);
  });

  it('D39 counts the lines that no reader is left for', () => {
    output.write(LINE);
    sink.destroyed = true;
    output.write(LINE);
    output.write(LINE);
    expect(output.dropped).toBe(2);
  });

  it('D39 writes lines in another form, also its own, and leaves out empty ones', () => {
    const form = (line: string): string =>
      line.startsWith('hidden') ? '' : line.replace(/^.*were dropped.*/, 'dropped');
    output = new LogOutput(sink, () => undefined, form);
    output.write('hidden\n');
    output.write('shown\n');
    jest.advanceTimersByTime(100);
    expect(sink.written).toEqual(['shown\n']);
    sink.writableLength = 2_000_000;
    output.write('lost\n');
    sink.writableLength = 0;
    sink.emit('drain');
    jest.advanceTimersByTime(100);
    expect(sink.written).toEqual(['shown\n', 'dropped\n']);
  });

  it('D39 writes what waits at the exit of the process, unless nothing reads', () => {
    output.write(LINE);
    output.flushNow();
    expect(now).toEqual([LINE]);
    sink.writableLength = 1;
    output.write(LINE);
    output.flushNow();
    expect(now).toEqual([LINE]);
    jest.advanceTimersByTime(100);
    expect(sink.written).toEqual([]);
  });
});

describe('D39 isPretty', () => {
  it.each([
    ['auto', true, true],
    ['auto', false, false],
    ['pretty', true, true],
    ['pretty', false, true],
    ['json', true, false],
    ['json', false, false],
  ] as const)('%s on a terminal (%s) is %s', (format, isTerminal, expected) => {
    expect(isPretty(format, isTerminal)).toBe(expected);
  });
});
