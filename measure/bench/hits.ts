import { checkEqual, checkThat } from '../checks';
import { tableOf } from '../report';
import type { Comparison } from './comparison';
import type { Case, Results } from './sampling';

/** What is sampled: uncached calls, hits of the cache, and a server that serialises an object that it keeps. */
const SUBJECTS = ['uncached', 'hit', 'hit, gzip', '304', 'stored object'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** The two responses: the path of their hits, and a parameter by which no two other paths are alike. */
const RESPONSES = [
  { title: 'page of 10', hit: '/api/Shipping/GetShippingPagedList?PageSize=10', parameter: 'PageNumber' },
  { title: 'list of 1,000', hit: '/api/Shipping/GetShippingDetails?Limit=1000', parameter: 'SearchTerm' },
];
let requests = 0;

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
/** The published ratios of two subjects. */
const RATIOS = [
  ['hit', 'uncached'],
  ['hit', 'stored object'],
  ['hit, gzip', 'hit'],
  ['304', 'hit'],
] as const;

/** Samples both responses, checks the bounds, and returns a table. */
export async function compareHits(comparison: Comparison, results: Results<Subject>): Promise<string> {
  for (const response of RESPONSES) await results.sample(response.title, await casesOf(response, comparison));
  for (const [title, subject, other, bound] of BOUNDS) {
    const ratio = results.ratio(title, subject, other);
    checkThat(`${title}: ${subject} at least ${bound} of ${other}`, ratio >= bound, ratio.toFixed(2));
  }
  checkEqual('no hit is wrong or missing', results.faults, 0);
  const rows = RESPONSES.map(({ title }) => [
    title,
    ...SUBJECTS.map((subject) => results.median(title, subject).toFixed()),
    ...RATIOS.map(([subject, other]) => results.ratio(title, subject, other).toFixed(2)),
  ]);
  return tableOf(['', ...SUBJECTS, ...RATIOS.map((pair) => pair.join(' ÷ '))], rows);
}

async function casesOf(
  { hit, parameter }: (typeof RESPONSES)[number],
  comparison: Comparison,
): Promise<[Subject, Case][]> {
  const uncached = (): string => `${hit}&${parameter}=${(requests += 1)}`;
  const service = comparison.serverOf('service');
  const cache = comparison.serverOf('cache');
  const stored = comparison.serverOf('stored');
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
  return [
    ['uncached', { server: service, connections, path: uncached, body }],
    ['hit', { server: cache, connections, path, body }],
    ['hit, gzip', { server: cache, connections, path, headers: gzip }],
    ['304', { server: cache, connections, path, headers: etag, status: 304 }],
    ['stored object', { server: stored, connections, path, body }],
  ];
}
