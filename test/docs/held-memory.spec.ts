import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read, ROOT } from '../support/read';

const PAGE = read('docs/resilience.md');

/** What libraries keep, whose number others than the code decide. */
const STORE = /\bnew (?:LRUCache|RateLimiterMemory|BatchSpanProcessor|Pool|Agent)\b/;
/** A connection for each request, which the request closes. */
const WITHOUT_BOUND = ['common/direct-fetch.ts'];

describe('D59 D76 what the process holds', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const product = files.filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !WITHOUT_BOUND.includes(file),
  );
  const holding = product.filter((file) => STORE.test(read(`src/${file}`)));
  const [, list = ''] = /^## Memory\n(.*?)(?=^## |$(?![^]))/ms.exec(PAGE) ?? [];
  const rows = list.split('\n').filter((line) => line.startsWith('- '));
  const named = rows
    .flatMap((row) => [...row.matchAll(/`([\w./-]+\/)`|`([\w./-]+\.ts)`/g)])
    .map(([, folder, file]) => folder ?? file ?? '');

  it('finds stores in the code', () => {
    expect(holding).toContain('access/token-verifier.ts');
  });

  it.each(holding)('%s', (file) => {
    const isNamed = named.some((name) => file === name || (name.endsWith('/') && file.startsWith(name)));
    expect([file, isNamed]).toEqual([file, true]);
  });

  it('each item has a bound in bytes, and names files that exist', () => {
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect(row).toMatch(/\b(?:KiB|MiB|CACHE_MAX_BYTES|heap)\b[^:]*\)$/);
    expect(named.filter((name) => !files.includes(name.replace(/\/$/, '')))).toEqual([]);
  });
});
