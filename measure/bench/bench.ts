import { parseArgs } from 'node:util';
import { checkThat, runProgram, say } from '../checks';
import { conditions, publish, published, tableOf } from '../report';
import { allocatedBytes } from './allocation';
import { Comparison, type Load, type Subject } from './comparison';
import { Results } from './sampling';

/**
 * Compares the built service with three servers that do the same by other means, and hits of its cache with uncached
 * calls and with Nest, on one core, in interleaved rounds, and checks the bounds below. The full form writes its tables
 * into docs/performance.md, `--hits` that of the hits alone; `--short` finds a large slowdown, and more bytes allocated
 * than {@link MOST_KIB}.
 */

/** A table of docs/performance.md. */
interface Table {
  readonly marker: string;
  readonly subjects: readonly Subject[];
  readonly loads: readonly Load[];
  /** Two subjects that are compared, and the least ratio of their rates under each load that has one. */
  readonly ratios: readonly (readonly [subject: string, other: string, least: readonly (number | undefined)[]])[];
}

const TEN = { title: 'page of 10', path: '/api/Shipping/GetShippingPagedList?PageSize=10&SearchTerm=' };
const HUNDRED = { title: 'page of 100', path: '/api/Shipping/GetShippingPagedList?PageSize=100&SearchTerm=' };
const LIST = { title: 'list of 1,000', path: '/api/Shipping/GetShippingDetails?Limit=1000&SearchTerm=' };

/** A ratio differs by a third between kinds of processors, so that the bounds lie below what the slowest one gave. */
const SERVERS: Table = {
  marker: 'bench',
  subjects: (['service', 'bare', 'with libraries', 'stock Nest'] as const).map((name) => ({ name, server: name })),
  loads: [TEN, HUNDRED],
  ratios: [
    ['service', 'bare', [0.35, 0.6]],
    ['service', 'with libraries', [0.7, 0.95]],
    ['service', 'stock Nest', [2.5, 1.9]],
  ],
};

/** Two subjects of the same speed may differ by so much. */
const NOISE = 0.9;
const HITS: Table = {
  marker: 'hits',
  subjects: [
    { name: 'uncached', server: 'service' },
    { name: 'hit', server: 'cache', isSame: true },
    { name: 'hit, gzip', server: 'cache', isSame: true, headers: () => ({ 'Accept-Encoding': 'gzip' }) },
    { name: '304', server: 'cache', isSame: true, headers: (etag) => ({ 'If-None-Match': etag }), status: 304 },
    { name: 'plainest Nest', server: 'plainest Nest', isSame: true },
  ],
  loads: [TEN, LIST],
  ratios: [
    ['hit', 'uncached', [1.5, 8]],
    ['hit', 'plainest Nest', [0.4]],
    ['hit, gzip', 'hit', [undefined, NOISE]],
    ['304', 'hit', [NOISE, 1]],
  ],
};

/** With `--short`, two servers of which none waits are compared by one load: it finds that a page takes half as long again. */
const SHORT: Table = {
  marker: 'bench',
  subjects: SERVERS.subjects.filter(({ name }) => ['service', 'stock Nest'].includes(name)),
  loads: [TEN],
  ratios: [['service', 'stock Nest', [1.7]]],
};

/** The most that the warm service may allocate for a page of ten; two runs differ by 1 or 2 %, where times vary by half. */
const MOST_KIB = 66;

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({ options: { short: flag, hits: flag } });
const [ROUNDS, SECONDS] = options.short ? [2, 1.3] : [12, 1];

async function main(): Promise<void> {
  if (options.short) {
    say(`Against commit 87b7eafc, as last measured:\n\n${published('reference')}\n`);
    await compare(SHORT, checkAllocation);
    return;
  }
  if (!options.hits) await compare(SERVERS);
  await compare(HITS);
}

async function compare(table: Table, checkMore?: (comparison: Comparison) => Promise<void>): Promise<void> {
  const { marker, subjects, loads, ratios } = table;
  const comparison = await Comparison.start(subjects);
  const rows: string[][] = [];
  for (const [index, load] of loads.entries()) {
    const { title } = load;
    const results = await Results.of(await comparison.casesOf(load), ROUNDS, SECONDS);
    const cells = ratios.map(([subject, other, { [index]: least = 0 }]) => {
      const ratio = results.ratio(subject, other);
      if (least > 0) checkThat(`${title}: ${subject} at least ${least} of ${other}`, Number(ratio) >= least, ratio);
      return ratio;
    });
    atMost(`${title}: wrong or missing responses`, 0, results.faults);
    rows.push([title, ...subjects.map(({ name }) => results.median(name).toFixed()), ...cells]);
  }
  await checkMore?.(comparison);
  await comparison.stop();
  const head = ['', ...subjects.map(({ name }) => name), ...ratios.map(([subject, other]) => `${subject} ÷ ${other}`)];
  const rounds = `${ROUNDS} interleaved rounds of ${SECONDS} s, each server alone on one core.`;
  const explanation = 'Requests a second by processor time with 32 clients, medians of the rounds, and their ratios.';
  const text = `${conditions('npm run bench')} ${rounds}\n${explanation}\n\n${tableOf(head, rows)}`;
  say(`${text}\n`);
  if (!options.short) publish(marker, text);
}

async function checkAllocation({ externalUrl }: Comparison): Promise<void> {
  const kib = (await allocatedBytes(externalUrl, TEN.path)) / 1024;
  atMost('KiB allocated for a page of ten (counted by Node 26)', MOST_KIB, kib);
  say(`The warm service allocates ${kib.toFixed(1)} KiB for a page of ten.`);
}

function atMost(name: string, bound: number, value: number): void {
  checkThat(`${name}: at most ${bound}`, value <= bound, value.toFixed(2));
}

void runProgram(main);
