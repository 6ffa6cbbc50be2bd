import type { Checks } from '../checks';
import { tableOf } from '../report';
import type { Comparison } from './comparison';
import { type Case, medianOf, nextPath, sampleInRounds, type Samples } from './sampling';

/** What is sampled: uncached calls, hits of the cache, and a server that serialises an object that it keeps. */
const SUBJECTS = ['uncached', 'hit', 'hit, gzip', '304', 'stored object'] as const;
type Subject = (typeof SUBJECTS)[number];

const OPERATION = '/api/Shipping/GetShipping';
let searches = 0;

/** The two responses: their names, the path of their hits, and paths of which no two are alike. */
const RESPONSES = [
  { title: 'page of 10', hit: `${OPERATION}PagedList?PageSize=10`, uncached: () => nextPath(10) },
  {
    title: 'list of 1,000',
    hit: `${OPERATION}Details?Limit=1000`,
    uncached: () => `${OPERATION}Details?Limit=1000&SearchTerm=${(searches += 1)}`,
  },
];
type Response = (typeof RESPONSES)[number];

/** Two subjects of the same speed may differ by so much. */
const NOISE = 0.9;
/** The least ratios of the rates of two subjects. */
const BOUNDS: readonly (readonly [title: string, subject: Subject, other: Subject, bound: number])[] = [
  ['page of 10', 'hit', 'uncached', 1.5],
  ['page of 10', 'hit', 'stored object', 0.3],
  ['page of 10', '304', 'hit', NOISE],
  ['list of 1,000', 'hit', 'uncached', 8],
  ['list of 1,000', 'hit, gzip', 'hit', NOISE],
  ['list of 1,000', '304', 'hit', 1],
];

/** Samples both responses, checks the bounds, and returns a table. */
export async function compareHits(
  comparison: Comparison,
  checks: Checks,
  rounds: number,
  seconds: number,
): Promise<string> {
  const results = new Map<string, Samples<Subject>>();
  for (const response of RESPONSES) {
    results.set(response.title, await sampleInRounds(await casesOf(response, comparison), rounds, seconds));
  }
  for (const [title, subject, other, bound] of BOUNDS) {
    const ratio = ratioOf(results.get(title), subject, other);
    checks.expect(`${title}: ${subject} at least ${bound} of ${other}`, ratio >= bound, ratio.toFixed(2));
  }
  const samples = [...results.values()].flatMap((each) => [...each.values()].flat());
  const faults = Math.max(...samples.map((each) => each.faults));
  checks.expect('no hit is wrong or missing', faults === 0, String(faults));
  return table(results);
}

async function casesOf({ hit, uncached }: Response, comparison: Comparison): Promise<Map<Subject, Case>> {
  const [service, cache, stored] = [
    comparison.serverOf('service'),
    comparison.serverOf('cache'),
    comparison.serverOf('stored'),
  ];
  const first = await fetch(cache.url + hit);
  const body = await first.text();
  const again = await fetch(cache.url + hit);
  const bodies = [again, await fetch(stored.url + hit), await fetch(service.url + uncached())];
  for (const each of bodies) if ((await each.text()) !== body) throw new Error(`${each.url} has another body`);
  if (!again.headers.get('Cache-Status')?.endsWith('; hit')) throw new Error(`${hit} is no hit`);
  const path = (): string => hit;
  const etag = { 'If-None-Match': first.headers.get('ETag') ?? '' };
  const gzip = { 'Accept-Encoding': 'gzip' };
  const connections = 32;
  return new Map<Subject, Case>([
    ['uncached', { server: service, connections, path: uncached, body }],
    ['hit', { server: cache, connections, path, body }],
    ['hit, gzip', { server: cache, connections, path, headers: gzip }],
    ['304', { server: cache, connections, path, headers: etag, status: 304 }],
    ['stored object', { server: stored, connections, path, body }],
  ]);
}

function ratioOf(samples: Samples<Subject> | undefined, subject: Subject, other: Subject): number {
  return samples === undefined ? NaN : medianOf(samples, subject) / medianOf(samples, other);
}

/** Rates, and their ratios to the rates that they are bounded by. */
function table(results: ReadonlyMap<string, Samples<Subject>>): string {
  const ratios = [
    ['hit', 'uncached'],
    ['hit', 'stored object'],
    ['hit, gzip', 'hit'],
    ['304', 'hit'],
  ] as const;
  const rows = [...results].map(([title, samples]) => [
    title,
    ...SUBJECTS.map((subject) => medianOf(samples, subject).toFixed()),
    ...ratios.map(([subject, other]) => ratioOf(samples, subject, other).toFixed(2)),
  ]);
  return tableOf(['', ...SUBJECTS, ...ratios.map((pair) => pair.join(' ÷ '))], rows);
}
