import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Checks, say } from '../checks';
import { putBetween, tableOf } from '../markdown';
import { median } from '../statistics';
import { type Case, CASES } from './cases';
import { Comparison, SERVERS, type ServerName } from './comparison';
import { measure, type Sample } from './load';
import { describeMachine } from './machine';
import { barChart } from './picture';

/**
 * Compares the built service with three servers that do the same by other means, on one core, in interleaved rounds. The full
 * form writes the picture and the table of docs/performance.md. `--short` guards every change against a gross loss. Exits 1
 * where the service is below a bound; in the full form also where a response was not what it has to be.
 */

/** The least that the service may be of another server. */
type Bounds = Readonly<Partial<Record<ServerName, number>>>;
/** The samples of each server, round by round. */
type Results = ReadonlyMap<Case, ReadonlyMap<ServerName, readonly Sample[]>>;

const DOCUMENT = join(__dirname, '../../docs/performance.md');
const PICTURE = join(__dirname, '../../docs/performance.svg');
const BOUNDS: Bounds = { 'hand-written': 0.5, 'with libraries': 1, 'stock Nest': 2 };
/**
 * What the short form, a page of ten alone, demands. Runs on a shared machine of two cores differ by up to 25 %; this lies 30
 * to 40 % below what is usual, so that nothing but a gross loss breaks it, twice in a row.
 */
const FLOORS: Bounds = { 'hand-written': 0.3 };
/** Until everything is compiled that is worth it. */
const WARM_UP_SECONDS = 3;

const { values: options } = parseArgs({
  options: { short: { type: 'boolean', default: false }, rounds: { type: 'string' }, seconds: { type: 'string' } },
});
const { short } = options;
const ROUNDS = Number(options.rounds ?? 5);
const SECONDS = Number(options.seconds ?? (short ? 1.3 : 3));

async function main(): Promise<void> {
  if (!(Number.isInteger(ROUNDS) && ROUNDS > 0 && SECONDS > 0))
    throw new Error('Rounds and seconds are positive numbers');
  let failed = await compare();
  if (short && failed > 0) {
    progress('once more: a loss is there again, a busy neighbour may not be');
    failed = await compare();
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

/** @returns how many checks failed */
async function compare(): Promise<number> {
  const comparison = await Comparison.start(short ? ['service', 'hand-written'] : SERVERS);
  try {
    const results = new Map<Case, ReadonlyMap<ServerName, readonly Sample[]>>();
    for (const kind of short ? CASES.slice(0, 1) : CASES) {
      progress(kind.title);
      results.set(kind, await play(comparison, kind));
    }
    return report(results);
  } finally {
    await comparison.stop();
  }
}

async function play(comparison: Comparison, kind: Case): Promise<ReadonlyMap<ServerName, readonly Sample[]>> {
  const { servers } = comparison;
  const expected = await comparison.bodyOf(kind);
  const samples = new Map<ServerName, Sample[]>();
  for (const [name, server] of servers) {
    await measure(server, kind, expected, WARM_UP_SECONDS);
    samples.set(name, []);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, server] of servers) samples.get(name)?.push(await measure(server, kind, expected, SECONDS));
  }
  return samples;
}

/** @returns how many checks failed */
function report(results: Results): number {
  const text = [...conditions(), '', ...tableOf(...table(results))].join('\n');
  if (!short) publish(text, results);
  say(`${text}\n`);
  const checks = new Checks();
  for (const [{ title }, samples] of results) {
    for (const [other, bound] of Object.entries(short ? FLOORS : BOUNDS)) {
      const ratio = ratioTo(samples, other as ServerName);
      checks.expect(`${title}: at least ${bound} of ${other}`, ratio >= bound, ratio.toFixed(2));
    }
    // Not in the short form: a service that a busy neighbour starves of its core sheds load.
    for (const [name, all] of short ? [] : samples) {
      const faults = all.reduce((sum, each) => sum + each.faults, 0);
      checks.expect(`${title}: every response of ${name} is right`, faults === 0, `${faults} are wrong or missing`);
    }
  }
  checks.conclude();
  return checks.failed;
}

function publish(text: string, results: Results): void {
  const groups = [...results].map(([{ title }, samples]) => ({
    title,
    bars: [...samples].map(([name, all]) => ({ name, value: median(all.map(({ rate }) => rate)) })),
  }));
  writeFileSync(PICTURE, barChart(`Requests a second on one core, Node ${process.versions.node}`, groups));
  putBetween(DOCUMENT, 'bench', text);
}

function conditions(): string[] {
  const command = ['npm run bench', ...(process.argv.length > 2 ? ['--'] : []), ...process.argv.slice(2)].join(' ');
  return [
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${describeMachine()}. ${ROUNDS} interleaved rounds of ${SECONDS} s.`,
    'Each cell: requests a second that one core carries, 99th percentile, resident memory of the process; medians of the rounds.',
    'The last columns are medians of the ratios of each round.',
  ];
}

function table(results: Results): [head: string[], rows: string[][]] {
  const [, ...others] = [...([...results.values()][0]?.keys() ?? [])];
  const head = ['', 'service', ...others, ...others.map((name) => `service ÷ ${name}`)];
  const rows = [...results].map(([{ title }, samples]) => [
    title,
    ...[...samples.values()].map(cell),
    ...others.map((name) => ratioTo(samples, name).toFixed(2)),
  ]);
  return [head, rows];
}

function cell(samples: readonly Sample[]): string {
  const of = (figure: keyof Sample): number => median(samples.map((sample) => sample[figure]));
  return `${Math.round(of('rate'))}/s · ${of('p99Ms').toFixed(1)} ms · ${Math.round(of('residentMiB'))} MiB`;
}

/** Median of the ratios of each round, so that what slows a whole round down does not count. */
function ratioTo(samples: ReadonlyMap<ServerName, readonly Sample[]>, other: ServerName): number {
  const others = samples.get(other) ?? [];
  return median((samples.get('service') ?? []).map(({ rate }, round) => rate / (others[round]?.rate ?? NaN)));
}

/** Not part of the result. */
function progress(text: string): void {
  process.stderr.write(`${text} …\n`);
}

main().catch((error: unknown) => {
  process.stdout.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n0 passed, 1 failed\n`,
  );
  process.exit(1);
});
