import { type HttpResponse, send } from '../../test/support/http-client';
import type { ClusterMember } from './member';
import { askRedis } from './programs';
import { at, OPERATIONS, RECOVERY_MS, type Stage, within } from './stage';

const ASKED = 20;
const KEPT_MS = 2_000;

let pages = 0;

/** What one replica has asked, the others know. */
export async function hitsAreShared({ cluster, checks }: Stage): Promise<void> {
  const paths = Array.from({ length: ASKED }, nextPath);
  const [first, ...others] = cluster.replicas as [ClusterMember, ...ClusterMember[]];
  const asked = await askAll(first, paths);
  checks.expect('the first replica asks', asked.every(isStored), statuses(asked));
  const kept = await within(
    KEPT_MS,
    async () => Number((await askRedis(cluster.redis.url, 'DBSIZE')).slice(1)) >= ASKED,
  );
  checks.expect('Redis keeps the results', kept, `not within ${KEPT_MS} ms`);
  for (const replica of others) {
    const responses = await askAll(replica, paths);
    checks.expect(`${replica.name} has the results`, responses.every(isHit), statuses(responses));
    const alike = responses.every(({ body, headers }, index) => {
      const original = at(asked, index);
      return body === original.body && headers.etag === original.headers.etag && body.includes('"id":"SHP-');
    });
    checks.expect('which are the same', alike, 'they differ');
  }
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

function askAll({ url }: ClusterMember, paths: readonly string[]): Promise<HttpResponse[]> {
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
