import { existsSync, readdirSync } from 'node:fs';
import { read, ROOT } from '../support/read';

/** What libraries keep, whose number others than the code decide. */
const STORE = /\b(?:new (?:LRUCache|RateLimiterMemory|BatchSpanProcessor|Pool|Agent)\b|pLimit\()/;
/** A connection for each request, which the request closes. */
const WITHOUT_BOUND = 'common/direct-fetch.ts';

it('D59 D76 stores of the service and the list of what the process holds agree, and each item has a bound in bytes', () => {
  const [, list = ''] = /^## Memory\n(.*?)(?=^## |$(?![^]))/ms.exec(read('docs/resilience.md')) ?? [];
  const rows = list.split('\n').filter((line) => line.startsWith('- '));
  const named = [...list.matchAll(/`([\w./-]+(?:\/|\.ts))`/g)].map(([, path = '']) => path);
  const files = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' });
  const product = files.filter((file) => /(?<!\.spec)\.ts$/.test(file) && file !== WITHOUT_BOUND);
  const holding = product.filter((file) => STORE.test(read(`src/${file}`)));
  expect(holding).toContain('access/token-verifier.ts');
  expect(
    holding.filter((file) => !named.some((path) => file === path || (path.endsWith('/') && file.startsWith(path)))),
  ).toEqual([]);
  expect(named.filter((path) => !existsSync(`${ROOT}/src/${path}`))).toEqual([]);
  expect(rows.filter((row) => !/\b(?:KiB|MiB|CACHE_MAX_BYTES|heap)\b[^:]*\)$/.test(row))).toEqual([]);
});
