import { parseArgs } from 'node:util';
import { checkThat, runProgram, say } from '../checks';
import { conditions, median, publish, tableOf } from '../report';
import { Comparison, type ServerName } from './comparison';
import { compareHits, type Subject } from './hits';
import { Results } from './sampling';

/**
 * Compares the built service with three servers that do the same by other means, and hits of its cache with uncached
 * calls, on one core, in interleaved rounds, and checks the bounds below and in `hits.ts`. The full form writes its
 * tables into docs/performance.md, `--hits` that of the hits alone; `--short` finds a large slowdown.
 */

/** The service, and the servers that it is compared with. */
const [SERVICE, ...OTHERS] = ['service', 'bare', 'with libraries', 'stock Nest'] as const;

/** The loads, by page size and clients. */
const TEN = 'page of 10, 32 clients';
const HUNDRED = 'page of 100, 32 clients';
const MANY = 'page of 10, 512 clients';
const LOADS = [
  [TEN, 10, 32],
  [HUNDRED, 100, 32],
  [MANY, 10, 512],
] as const;

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

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({ options: { short: flag, hits: flag } });
const [ROUNDS, SECONDS] = options.short ? [2, 1.3] : [12, 1];

async function main(): Promise<void> {
  if (options.short) return findSlowdown();
  if (!options.hits) await compareServers();
  await compareCached();
}

async function findSlowdown(): Promise<void> {
  let ratio = 0;
  for (let run = 0; run < 2 && !(ratio >= SHORT_FLOOR); run += 1) {
    const comparison = await Comparison.start([SERVICE, 'bare']);
    const results = new Results<ServerName>(ROUNDS, SECONDS);
    await results.sample(TEN, await comparison.pageCases(10, 32));
    ratio = results.ratio(TEN, SERVICE, 'bare');
    await comparison.stop();
  }
  checkThat(`page of 10: at least ${SHORT_FLOOR} of bare (${ratio.toFixed(2)})`, ratio >= SHORT_FLOOR, 'a loss');
}

async function compareCached(): Promise<void> {
  const comparison = await Comparison.start([SERVICE, 'cache', 'stored']);
  const table = await compareHits(comparison, new Results<Subject>(ROUNDS, SECONDS));
  await comparison.stop();
  const explanation = 'Requests a second by processor time with 32 clients, medians of the rounds, and their ratios.';
  report('hits', explanation, table);
}

async function compareServers(): Promise<void> {
  const comparison = await Comparison.start([SERVICE, ...OTHERS]);
  const results = new Results<ServerName>(ROUNDS, SECONDS);
  for (const [load, size, clients] of LOADS) await results.sample(load, await comparison.pageCases(size, clients));
  const starts: number[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const startedAt = performance.now();
    const server = await comparison.startServer(SERVICE);
    starts.push((performance.now() - startedAt) / 1000);
    await server.stop();
  }
  await comparison.stop();
  const readySeconds = median(starts);
  const kept = results.median(MANY, SERVICE) / results.median(TEN, SERVICE);
  reportServers(
    results,
    `With 512 clients the service keeps ${kept.toFixed(2)} of its rate at 32. It is ready ${readySeconds.toFixed(2)} s after its start.`,
  );
  for (const [size, other, bound] of BOUNDS) {
    const ratio = results.ratio(size === 10 ? TEN : HUNDRED, SERVICE, other);
    checkThat(`page of ${size}: at least ${bound} of ${other}`, ratio >= bound, ratio.toFixed(2));
  }
  for (const load of [TEN, HUNDRED])
    atMost(`${load}: p99 by that of bare`, MOST_P99, results.ratio(load, SERVICE, 'bare', 'p99Ms'));
  checkThat(`512 clients: at least ${LEAST_AT_512} of the rate at 32`, kept >= LEAST_AT_512, kept.toFixed(2));
  atMost('resident memory afterwards, in MiB', MOST_MIB, results.median(MANY, SERVICE, 'residentMiB'));
  atMost('seconds until ready', MOST_READY_SECONDS, readySeconds);
  atMost('wrong or missing responses', 0, results.faults);
}

function reportServers(results: Results<ServerName>, rest: string): void {
  const cellOf = (load: string, name: ServerName): string =>
    (['rate', 'p99Ms', 'residentMiB'] as const)
      .map((figure) => results.median(load, name, figure).toFixed())
      .join(' · ');
  const rows = LOADS.map(([load]) => [
    load,
    ...[SERVICE, ...OTHERS].map((name) => cellOf(load, name)),
    ...OTHERS.map((name) => results.ratio(load, SERVICE, name).toFixed(2)),
    results.ratio(load, SERVICE, 'bare', 'p99Ms').toFixed(2),
  ]);
  const explanation = [
    'Each cell: requests a second by processor time · 99th percentile in ms · resident MiB afterwards; medians of the rounds,',
    `and their ratios. ${rest}`,
  ].join('\n');
  const head = ['', SERVICE, ...OTHERS, ...OTHERS.map((name) => `÷ ${name}`), 'p99 ÷ bare'];
  report('bench', explanation, tableOf(head, rows));
}

function report(marker: string, explanation: string, table: string): void {
  const rounds = `${ROUNDS} interleaved rounds of ${SECONDS} s, each server alone on one core.`;
  const text = `${conditions('npm run bench')} ${rounds}\n${explanation}\n\n${table}`;
  publish(marker, text);
  say(`${text}\n`);
}

function atMost(name: string, bound: number, value: number): void {
  checkThat(`${name}: at most ${bound}`, value <= bound, value.toFixed(2));
}

void runProgram(main);
