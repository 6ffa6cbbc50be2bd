import { parseArgs } from 'node:util';
import { checkThat, runProgram, say } from '../checks';
import { conditions, publish, published, tableOf } from '../report';
import { prepare, startCases, type Subject } from './comparison';
import { allocatedKib, type Case, ratesOf } from './sampling';

/**
 * Compares the built service with two servers that do the same by other means, and hits of its cache with uncached
 * calls and with Nest, on one core, in interleaved rounds, and checks the bounds below. The full form writes its tables into
 * docs/performance.md, `--hits` that of the hits alone; `--short` finds a large slowdown, and more bytes allocated than
 * {@link MOST_KIB}.
 */

/** A table of docs/performance.md. */
interface Table {
  readonly marker: string;
  readonly subjects: readonly Subject[];
  readonly loads: readonly (typeof TEN)[];
  /** Two subjects that are compared, and the least ratio of their rates under each load that has one. */
  readonly ratios: readonly (readonly [subject: string, other: string, least: readonly (number | undefined)[]])[];
}

/** Loads, each with the path of all its requests, which ends before the value of its last parameter. */
const TEN = { title: 'page of 10', path: '/api/Shipping/GetShippingPagedList?PageSize=10&SearchTerm=' };
const HUNDRED = { title: 'page of 100', path: '/api/Shipping/GetShippingPagedList?PageSize=100&SearchTerm=' };
const LIST = { title: 'list of 1,000', path: '/api/Shipping/GetShippingDetails?Limit=1000&SearchTerm=' };

const SERVICE: Subject = { name: 'service', server: 'service' };
const STOCK_NEST: Subject = { name: 'stock Nest', server: 'stock Nest' };

/** A ratio differs by a third between kinds of processors, so that the bounds lie below what the slowest one gave. */
const SERVERS: Table = {
  marker: 'bench',
  subjects: [SERVICE, { name: 'bare', server: 'bare' }, STOCK_NEST],
  loads: [TEN, HUNDRED],
  ratios: [
    ['service', 'bare', [0.4, 0.65]],
    ['service', 'stock Nest', [2.8, 2.1]],
  ],
};

/** Two subjects of the same speed may differ by so much. */
const NOISE = 0.9;
const HITS: Table = {
  marker: 'hits',
  subjects: [
    { name: 'uncached', server: 'service' },
    { name: 'hit', server: 'cache' },
    { name: 'hit, gzip', server: 'cache', headers: () => ({ 'Accept-Encoding': 'gzip' }) },
    { name: '304', server: 'cache', headers: (etag) => ({ 'If-None-Match': etag }), status: 304 },
    { name: 'plainest Nest', server: 'plainest Nest' },
  ],
  loads: [TEN, LIST],
  ratios: [
    ['hit', 'uncached', [1.5, 8]],
    ['hit', 'plainest Nest', [0.5]],
    ['hit, gzip', 'hit', [undefined, NOISE]],
    ['304', 'hit', [NOISE, 1]],
  ],
};

/** With `--short`, two servers of which none waits are compared by one load: it finds that a page takes half as long again. */
const SHORT: Table = {
  marker: 'bench',
  subjects: [SERVICE, STOCK_NEST],
  loads: [TEN],
  ratios: [['service', 'stock Nest', [2.3]]],
};

/** The most that the warm service may allocate for a page of ten; two runs differ by 1 or 2 %, where times vary by half. */
const MOST_KIB = 64;

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({ options: { short: flag, hits: flag } });
const [ROUNDS, SECONDS] = options.short ? [3, 1] : [11, 2];

async function main(): Promise<void> {
  const external = await prepare();
  if (options.short) {
    say(`Against commit 87b7eafc, as last measured:\n\n${published('reference')}\n`);
    return compare(SHORT, external);
  }
  if (!options.hits) await compare(SERVERS, external);
  return compare(HITS, external);
}

async function compare({ marker, subjects, loads, ratios }: Table, external: string): Promise<void> {
  const rows: string[][] = [];
  for (const [index, { title, path }] of loads.entries()) {
    const cases = await startCases(subjects, path, external);
    const rates = await ratesOf(cases, ROUNDS, SECONDS);
    const rateOf = (subject: string): number => rates.get(subject) ?? NaN;
    const cells = ratios.map(([subject, other, { [index]: least = 0 }]) => {
      const ratio = rateOf(subject) / rateOf(other);
      const found = Number.isNaN(ratio) ? 'one was idle' : ratio.toFixed(2);
      if (least > 0) checkThat(`${title}: ${subject} at least ${least} of ${other}`, ratio >= least, found);
      return found;
    });
    rows.push([title, ...subjects.map(({ name }) => rateOf(name).toFixed()), ...cells]);
    if (options.short) await checkAllocation(cases);
    for (const { server } of cases) await server.stop();
  }
  const head = ['', ...subjects.map(({ name }) => name), ...ratios.map(([subject, other]) => `${subject} ÷ ${other}`)];
  const rounds = `${ROUNDS} interleaved rounds of ${SECONDS} s, each server alone on one core.`;
  const explanation = 'Requests a second by processor time with 32 clients, medians of the rounds, and their ratios.';
  const text = `${conditions('npm run bench')} ${rounds}\n${explanation}\n\n${tableOf(head, rows)}`;
  say(`${text}\n`);
  // A table of a run in which a server was idle says nothing.
  if (!options.short && !text.includes('NaN')) publish(marker, text);
}

async function checkAllocation([service]: readonly Case[]): Promise<void> {
  const kib = service === undefined ? NaN : await allocatedKib(service);
  const name = `the warm service allocates ${kib.toFixed(1)} KiB for a page of ten, at most ${MOST_KIB}`;
  checkThat(name, kib <= MOST_KIB, Number.isNaN(kib) ? 'only Node 26 counts them' : 'more');
}

void runProgram(main);
