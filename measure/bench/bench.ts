import { parseArgs } from 'node:util';
import { Checks, runProgram, say } from '../checks';
import { conditions, median, publish, tableOf } from '../report';
import { Comparison, type ServerName } from './comparison';
import { compareHits } from './hits';
import { type Case, medianOf, nextPath, type Sample, sampleInRounds, type Samples } from './sampling';

/**
 * Compares the built service with three servers that do the same by other means, and hits of its cache with uncached
 * calls, on one core, in interleaved rounds, and checks the bounds below and in `hits.ts`. The full form writes its
 * tables into docs/performance.md, `--hits` that of the hits alone; `--short` finds a large slowdown.
 */

/** The service, and the servers that it is compared with. */
const COMPARED = ['service', 'bare', 'with libraries', 'stock Nest'] as const;

/**
 * The least ratio of the rates of the service and of another server, with 32 clients and pages of this size. A ratio
 * differs by a third between kinds of processors, so that the bounds lie below what the slowest one gave.
 */
const BOUNDS: readonly (readonly [size: number, other: ServerName, bound: number])[] = [
  [10, 'bare', 0.35],
  [10, 'with libraries', 0.7],
  [10, 'stock Nest', 2.5],
  [100, 'bare', 0.6],
  [100, 'with libraries', 0.95],
  [100, 'stock Nest', 1.9],
];
const MOST_P99 = 3;
const LEAST_AT_512 = 0.65;
/** After 512 clients, the memory was 250 MiB on an Intel Xeon and 277 on an AMD EPYC. */
const MOST_MIB = 290;
const MOST_READY_SECONDS = 1.5;
const STARTS = 5;
/** `--short` finds that a page takes half as long again: it fails where two runs in a row are below this ratio. */
const SHORT_FLOOR = 0.3;

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    hits: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
  },
});
const ROUNDS = Number(options.rounds ?? (options.short ? 2 : 12));
const SECONDS = Number(options.seconds ?? (options.short ? 1.3 : 3));
const checks = new Checks();

async function main(): Promise<void> {
  if (!(Number.isInteger(ROUNDS) && ROUNDS > 0 && SECONDS > 0)) throw new Error('Rounds and seconds are positive');
  if (!options.short) {
    if (!options.hits) await compareAll();
    return compareCached();
  }
  let ratio = 0;
  for (let run = 0; run < 2 && !(ratio >= SHORT_FLOOR); run += 1) {
    const comparison = await Comparison.start(['service', 'bare']);
    ratio = ratioTo(await measure(comparison, 10, 32), 'bare');
    await comparison.stop();
  }
  checks.expect(`page of 10: at least ${SHORT_FLOOR} of bare (${ratio.toFixed(2)})`, ratio >= SHORT_FLOOR, 'a loss');
}

async function compareCached(): Promise<void> {
  const comparison = await Comparison.start(['service', 'cache', 'stored']);
  const table = await compareHits(comparison, checks, ROUNDS, SECONDS);
  await comparison.stop();
  const text = [
    `${conditions('npm run bench')} ${ROUNDS} interleaved rounds of ${SECONDS} s with 32 clients, each server alone on one core.`,
    'Requests a second by processor time, medians of the rounds, and their ratios.',
    '',
    table,
  ].join('\n');
  publish('hits', text);
  say(`${text}\n`);
}

async function compareAll(): Promise<void> {
  const comparison = await Comparison.start(COMPARED);
  const ten = await measure(comparison, 10, 32);
  const hundred = await measure(comparison, 100, 32);
  const many = await measure(comparison, 10, 512);
  const starts: number[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const server = await comparison.startServer('service');
    starts.push(server.startedInMs / 1000);
    await server.stop();
  }
  await comparison.stop();
  const readySeconds = median(starts);
  const kept = medianOf(many, 'service') / medianOf(ten, 'service');
  const rows = [
    ['page of 10, 32 clients', ten],
    ['page of 100, 32 clients', hundred],
    ['page of 10, 512 clients', many],
  ] as const;
  const rate = `With 512 clients the service keeps ${kept.toFixed(2)} of its rate at 32.`;
  report(rows, `${rate} It is ready ${readySeconds.toFixed(2)} s after its start.`);
  for (const [size, other, bound] of BOUNDS) {
    const ratio = ratioTo(size === 10 ? ten : hundred, other);
    checks.expect(`page of ${size}: at least ${bound} of ${other}`, ratio >= bound, ratio.toFixed(2));
  }
  for (const [title, samples] of rows.slice(0, 2))
    atMost(`${title}: p99 by that of bare`, MOST_P99, ratioTo(samples, 'bare', 'p99Ms'));
  checks.expect(`512 clients: at least ${LEAST_AT_512} of the rate at 32`, kept >= LEAST_AT_512, kept.toFixed(2));
  atMost('resident memory afterwards, in MiB', MOST_MIB, medianOf(many, 'service', 'residentMiB'));
  atMost('seconds until ready', MOST_READY_SECONDS, readySeconds);
  const faults = [ten, hundred, many].flatMap((samples) => [...samples.values()].flat().map((each) => each.faults));
  atMost('wrong or missing responses', 0, Math.max(...faults));
}

async function measure(comparison: Comparison, size: number, connections: number): Promise<Samples<ServerName>> {
  const kind = { connections, path: () => nextPath(size), body: await comparison.bodyOf(size) };
  const cases = new Map<ServerName, Case>();
  for (const [name, server] of comparison.servers) cases.set(name, { ...kind, server });
  return sampleInRounds(cases, ROUNDS, SECONDS);
}

function report(results: readonly (readonly [title: string, samples: Samples<ServerName>])[], rest: string): void {
  const [service, ...others] = COMPARED;
  const rows = results.map(([title, samples]) => [
    title,
    ...[service, ...others].map((name) =>
      [medianOf(samples, name), medianOf(samples, name, 'p99Ms'), medianOf(samples, name, 'residentMiB')]
        .map(Math.round)
        .join(' · '),
    ),
    ...others.map((name) => ratioTo(samples, name).toFixed(2)),
    ratioTo(samples, 'bare', 'p99Ms').toFixed(2),
  ]);
  const head = ['', service, ...others, ...others.map((name) => `÷ ${name}`), 'p99 ÷ bare'];
  const text = [
    `${conditions('npm run bench')} ${ROUNDS} interleaved rounds of ${SECONDS} s, each server alone on one core.`,
    'Each cell: requests a second by processor time · 99th percentile in ms · resident MiB afterwards; medians of the rounds,',
    `and their ratios. ${rest}`,
    '',
    tableOf(head, rows),
  ].join('\n');
  publish('bench', text);
  say(`${text}\n`);
}

function atMost(name: string, bound: number, value: number): void {
  checks.expect(`${name}: at most ${bound}`, value <= bound, value.toFixed(2));
}

function ratioTo(samples: Samples<ServerName>, other: ServerName, figure: keyof Sample = 'rate'): number {
  return medianOf(samples, 'service', figure) / medianOf(samples, other, figure);
}

void runProgram(checks, main);
