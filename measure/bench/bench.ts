import { parseArgs } from 'node:util';
import { checkThat, runProgram, say } from '../checks';
import { conditions, median, publish, published, tableOf } from '../report';
import { allocatedBytes } from './allocation';
import { Comparison, type Load, REFERENCE, type Subject } from './comparison';
import { Results, type Sample } from './sampling';

/**
 * Compares the built service with three servers that do the same by other means, and hits of its cache with uncached
 * calls and with Nest, on one core, in interleaved rounds, and checks the bounds below. The full form writes its tables
 * into docs/performance.md, `--hits` that of the hits alone, `--reference` that of the commit that the speed is compared
 * with; `--short` finds a large slowdown, and more bytes allocated than {@link MOST_KIB}.
 */

/** A table of docs/performance.md. */
interface Table {
  readonly marker: string;
  readonly explanation: string;
  /** What a cell shows. */
  readonly figures: readonly (keyof Sample)[];
  readonly subjects: readonly Subject[];
  readonly loads: readonly Load[];
  /** The rates of two subjects that are compared, and their least ratio under each load that has one. */
  readonly ratios: readonly (readonly [subject: string, other: string, least: readonly (number | undefined)[]])[];
}

const PAGES = '/api/Shipping/GetShippingPagedList?PageSize';
const TEN = { title: 'page of 10, 32 clients', path: `${PAGES}=10&PageNumber=`, connections: 32 };
const HUNDRED = { title: 'page of 100, 32 clients', path: `${PAGES}=100&PageNumber=`, connections: 32 };
const MANY = { ...TEN, title: 'page of 10, 512 clients', connections: 512 };
const TEN_HITS = { ...TEN, title: 'page of 10' };
const LIST_HITS = { ...TEN, title: 'list of 1,000', path: '/api/Shipping/GetShippingDetails?Limit=1000&SearchTerm=' };

/** A ratio differs by a third between kinds of processors, so that the bounds lie below what the slowest one gave. */
const SERVERS: Table = {
  marker: 'bench',
  explanation:
    'Each cell: requests a second by processor time · 99th percentile in ms · resident MiB afterwards; medians of the rounds,\nand their ratios.',
  figures: ['rate', 'p99Ms', 'residentMiB'],
  subjects: (['service', 'bare', 'with libraries', 'stock Nest'] as const).map((name) => ({ name, server: name })),
  loads: [TEN, HUNDRED, MANY],
  ratios: [
    ['service', 'bare', [0.35, 0.6]],
    ['service', 'with libraries', [0.7, 0.95]],
    ['service', 'stock Nest', [2.5, 1.9]],
  ],
};
const MOST_P99 = 3;
const LEAST_AT_512 = 0.65;
/** After 512 clients, the memory was 250 MiB on an Intel Xeon and 277 on an AMD EPYC. */
const MOST_MIB = 290;
const MOST_READY_SECONDS = 1.5;
const STARTS = 5;

/** Two subjects of the same speed may differ by so much. */
const NOISE = 0.9;
const HITS: Table = {
  marker: 'hits',
  explanation: 'Requests a second by processor time with 32 clients, medians of the rounds, and their ratios.',
  figures: ['rate'],
  subjects: [
    { name: 'uncached', server: 'service' },
    { name: 'hit', server: 'cache', isSame: true },
    { name: 'hit, gzip', server: 'cache', isSame: true, headers: () => ({ 'Accept-Encoding': 'gzip' }) },
    { name: '304', server: 'cache', isSame: true, headers: (etag) => ({ 'If-None-Match': etag }), status: 304 },
    { name: 'plainest Nest', server: 'plainest Nest', isSame: true },
  ],
  loads: [TEN_HITS, LIST_HITS],
  ratios: [
    ['hit', 'uncached', [1.5, 8]],
    ['hit', 'plainest Nest', [0.4]],
    ['hit, gzip', 'hit', [undefined, NOISE]],
    ['304', 'hit', [NOISE, 1]],
  ],
};

const AGAINST_REFERENCE: Table = {
  ...HITS,
  marker: 'reference',
  subjects: [
    { name: 'service', server: 'service' },
    { name: REFERENCE, server: REFERENCE },
  ],
  loads: [TEN, HUNDRED],
  ratios: [['service', REFERENCE, []]],
};

/** The most that the warm service may allocate for a page of ten; two runs differ by 1 or 2 %, where times vary by half. */
const MOST_KIB = 72;

/** With `--short`, two servers of which none waits are compared by one load: it finds that a page takes half as long again. */
const SHORT: Table = {
  ...SERVERS,
  subjects: SERVERS.subjects.filter(({ name }) => ['service', 'stock Nest'].includes(name)),
  loads: [TEN],
  ratios: [['service', 'stock Nest', [1.7]]],
};

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({ options: { short: flag, hits: flag, reference: flag } });
const [ROUNDS, SECONDS] = options.short ? [2, 1.3] : [12, 1];

async function main(): Promise<void> {
  if (options.reference) return compare(AGAINST_REFERENCE);
  if (options.short) {
    say(`Against ${REFERENCE}, by npm run bench -- --reference:\n\n${published('reference')}\n`);
    await compare(SHORT, checkAllocation);
    return;
  }
  if (!options.hits) await compare(SERVERS, checkService);
  await compare(HITS);
}

/** @param checkMore returns a sentence for the table */
async function compare(
  table: Table,
  checkMore?: (results: Results, comparison: Comparison) => Promise<string>,
): Promise<void> {
  const { marker, explanation, figures, subjects, loads, ratios } = table;
  const comparison = await Comparison.start(subjects);
  const results = new Results(ROUNDS, SECONDS);
  for (const [index, load] of loads.entries()) {
    const { title } = load;
    await results.sample(title, await comparison.casesOf(load));
    for (const [subject, other, bounds] of ratios) {
      const ratio = results.ratio(title, subject, other);
      const least = bounds[index];
      if (least === undefined) continue;
      const isHigh = !results.isIdle(title, subject, other) && ratio >= least;
      checkThat(`${title}: ${subject} at least ${least} of ${other}`, isHigh, ratioOf(results, title, subject, other));
    }
  }
  atMost('wrong or missing responses', 0, results.faults);
  const more = await checkMore?.(results, comparison);
  await comparison.stop();
  const rows = loads.map(({ title }) => [
    title,
    ...subjects.map(({ name }) => figures.map((figure) => results.median(title, name, figure).toFixed()).join(' · ')),
    ...ratios.map(([subject, other]) => ratioOf(results, title, subject, other)),
  ]);
  const rounds = `${ROUNDS} interleaved rounds of ${SECONDS} s, each server alone on one core.`;
  const sentences = [`${conditions('npm run bench')} ${rounds}\n${explanation}`, more].filter(Boolean).join(' ');
  const head = ['', ...subjects.map(({ name }) => name), ...ratios.map(([subject, other]) => `${subject} ÷ ${other}`)];
  const text = `${sentences}\n\n${tableOf(head, rows)}`;
  say(`${text}\n`);
  if (!options.short) publish(marker, text);
}

function ratioOf(results: Results, title: string, subject: string, other: string): string {
  return results.isIdle(title, subject, other) ? 'one was idle' : results.ratio(title, subject, other).toFixed(2);
}

async function checkAllocation(_: Results, { externalUrl }: Comparison): Promise<string> {
  const kib = (await allocatedBytes(externalUrl, TEN.path)) / 1024;
  atMost('KiB allocated for a page of ten (counted by Node 26)', MOST_KIB, kib);
  return `The warm service allocates ${kib.toFixed(1)} KiB for a page of ten.`;
}

async function checkService(results: Results, comparison: Comparison): Promise<string> {
  const starts: number[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const startedAt = performance.now();
    const server = await comparison.startServer('service');
    starts.push((performance.now() - startedAt) / 1000);
    await server.stop();
  }
  const readySeconds = median(starts);
  const kept = results.median(MANY.title, 'service') / results.median(TEN.title, 'service');
  for (const { title } of [TEN, HUNDRED])
    atMost(`${title}: p99 by that of bare`, MOST_P99, results.ratio(title, 'service', 'bare', 'p99Ms'));
  checkThat(`512 clients: at least ${LEAST_AT_512} of the rate at 32`, kept >= LEAST_AT_512, kept.toFixed(2));
  atMost('resident memory afterwards, in MiB', MOST_MIB, results.median(MANY.title, 'service', 'residentMiB'));
  atMost('seconds until ready', MOST_READY_SECONDS, readySeconds);
  return `With 512 clients the service keeps ${kept.toFixed(2)} of its rate at 32. It is ready ${readySeconds.toFixed(2)} s after its start.`;
}

function atMost(name: string, bound: number, value: number): void {
  checkThat(`${name}: at most ${bound}`, value <= bound, value.toFixed(2));
}

void runProgram(main);
