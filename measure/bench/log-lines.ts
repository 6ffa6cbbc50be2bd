import { paged } from './cases';
import { startServer } from './field';
import { findPinning } from './machine';
import { type Bench, cell, type Part, playAt } from './part';
import type { Lane, Measured } from './rounds';
import { SERVICE } from './service';

const SILENT = { LOG_LEVEL: 'silent' };

/** The service without log lines, against the same with one line a request, written to a file. */
export async function logLines(bench: Bench): Promise<Part> {
  const { field } = bench;
  const server = await startServer('service', field.external, findPinning(), SERVICE, SILENT);
  try {
    const logging = await field.lane('service', paged(10), 32);
    const silent: Lane = { ...logging, label: 'page of 10, `LOG_LEVEL=silent`', processes: [server] };
    // The process is new.
    await playAt(bench, [silent], { rounds: 0, warmUpSeconds: Math.max(3, bench.pace.warmUpSeconds) });
    const [without, with_] = (await playAt(bench, [silent, logging])) as [Measured, Measured];
    const silentTimesLogging = without.ratioTo(with_);
    const rows = [{ what: silent.label, connections: 32, cells: { service: cell(without) }, checks: [] }];
    const figures = {
      silentTimesLogging,
      microsPerLine: difference(with_.median('cpuMicros'), without.median('cpuMicros')),
    };
    return { rows, notes: [note(silentTimesLogging)], lanes: [without, with_], figures };
  } finally {
    await server.stop();
  }
}

function note(silentTimesLogging: number): string {
  return [
    `Log lines: a core serves ${silentTimesLogging.toFixed(2)} times as many requests with \`LOG_LEVEL=silent\` as with one line a`,
    'request in a file; what is above 1 is the cost of the lines.',
  ].join(' ');
}

function difference(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one - other;
}
