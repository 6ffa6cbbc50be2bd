import { type HttpResponse, send } from '../../test/support/http-client';
import type { Cluster } from './cluster';
import type { ClusterMember } from './member';
import { askRedis } from './programs';
import { at, OPERATIONS, RECOVERY_MS, type Stage, within } from './stage';

const ASKED = 20;
/** A command that takes Redis over 75 ms, as on a busy machine, is given up. */
const MOST_TIMES = 5;
const KEPT_MS = 5_000;

let pages = 0;

/** What one replica has asked, the others know. */
export async function hitsAreShared({ cluster, checks }: Stage): Promise<void> {
  let fault: string | undefined;
  for (let times = 0; times < MOST_TIMES; times += 1) {
    fault = await sharingFault(cluster);
    if (fault === undefined) break;
  }
  checks.expect('the others have the results that the first replica asks for', fault === undefined, String(fault));
}

async function sharingFault({ redis, replicas }: Cluster): Promise<string | undefined> {
  const paths = Array.from({ length: ASKED }, nextPath);
  const [first, ...others] = replicas as [ClusterMember, ...ClusterMember[]];
  const before = await keysIn(redis);
  const asked = await askAll(first, paths);
  if (!asked.every(isStored)) return `the first replica: ${statuses(asked)}`;
  if (!(await within(KEPT_MS, async () => (await keysIn(redis)) >= before + ASKED))) return 'Redis keeps too few';
  for (const { name, url } of others) {
    const responses = await askAll({ url }, paths);
    if (!responses.every(isHit)) return `${name}: ${statuses(responses)}`;
    const alike = responses.every(({ body, headers }, index) => {
      const original = at(asked, index);
      return body === original.body && headers.etag === original.headers.etag && body.includes('"id":"SHP-');
    });
    if (!alike) return `${name}: other responses`;
  }
  return undefined;
}

async function keysIn({ url }: ClusterMember): Promise<number> {
  return Number((await askRedis(url, 'DBSIZE')).slice(1));
}

/** The same, with new questions, until it is so: Redis has been away. */
export async function hitsAreSharedAgain({ cluster, checks }: Stage): Promise<void> {
  const shared = await within(RECOVERY_MS, async () => {
    const path = nextPath();
    await send(at(cluster.replicas, 0).url, path);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return isHit(await send(at(cluster.replicas, 1).url, path));
  });
  checks.expect('hits are shared again', shared, `not within ${RECOVERY_MS} ms`);
}

/** Of a page that nobody has asked for. */
function nextPath(): string {
  pages += 1;
  return `${OPERATIONS}/GetShippingPagedList?PageNumber=${pages}&PageSize=7`;
}

function askAll({ url }: Pick<ClusterMember, 'url'>, paths: readonly string[]): Promise<HttpResponse[]> {
  return Promise.all(paths.map((path) => send(url, path)));
}

function isHit({ headers }: HttpResponse): boolean {
  return /; ?hit\b/.test(String(headers['cache-status']));
}

function isStored({ headers }: HttpResponse): boolean {
  return /fwd=miss.*stored/.test(String(headers['cache-status']));
}

function statuses(responses: readonly HttpResponse[]): string {
  return [...new Set(responses.map(({ headers }) => String(headers['cache-status'])))].join(', ');
}
