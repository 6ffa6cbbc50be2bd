import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read, ROOT } from '../support/read';

const PAGE = read('docs/resilience.md');

/** What may hold more and more: collections that can be changed, and what libraries keep. */
const COLLECTION = /new (?:Map|Set|WeakMap)\b(?!.*ReadonlyMap)|= \[\]/;
const LIBRARY = /\bnew (?:LRUCache|RateLimiterMemory|Registry|Histogram|BatchSpanProcessor|Pool|Agent)\b|\bpLimit\(/;
/** A declaration at the margin of a file, or a field of a class: neither ends with a function. */
const LASTING =
  /^(?:export )?(?:const|let) |^ {2}(?:(?:private|protected|public|static|readonly|override) )*\w+(?::.*)? = /;
const CONSTANT = /: (?:Readonly(?:Map|Set|Array)\b|readonly )/;
const IN_FUNCTION = /^ {2}(?:const|let|return|for|if)\b/;

/** Stores whose number and size the code alone decides. */
const DECIDED_BY_CODE: Readonly<Record<string, string>> = {
  'common/connections.ts': 'one entry for each kind of connection of the service',
  'common/direct-fetch.ts': 'a connection for each request, which the request closes',
  'http/parameters/parameter-class.ts': 'one entry for each class of parameters',
  'http/parameters/query-parameters.pipe.ts': 'lives as long as its request, which has at most 100 parameters',
  'http/requests/request.metrics.ts': 'labels are routes, methods, statuses and completeness',
  'observability/metrics/metrics.module.ts': 'the metrics of Node',
  'resilience/call-policy.ts': 'one circuit for each operation',
  'resilience/rolling-count.ts': 'ten numbers',
  'sandbox/query-rules.ts': 'one list of the records of the sandbox for each order',
  'shipping/gateway/gateway.metrics.ts': 'labels are operations and outcomes',
  'shipping/gateway/protocol/value-reader.ts': 'lives while one response is mapped',
  'shipping/gateway/transport/transport-failures.ts': 'five codes of errors',
  'shipping/gateway/transport/json-mistake.ts': 'lives while one body that is no JSON is read',
  'shipping/gateway/upstream-attempt.ts': 'at most 100 responses, as long as their call',
  'shipping/model/query-result.ts': 'one entry for each result of a request in progress',
};

function storesOf(file: string): string[] {
  const lines = read(`src/${file}`).split('\n');
  return lines.filter((line) => {
    const isLasting = LASTING.test(line) && !IN_FUNCTION.test(line) && !CONSTANT.test(line);
    return LIBRARY.test(line) || (isLasting && COLLECTION.test(line));
  });
}

describe('D59 D76 what the process holds', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const product = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  const holding = product.filter((file) => storesOf(file).length > 0);
  const [, table = ''] = /^## Memory\n(.*?)(?=^## |$(?![^]))/ms.exec(PAGE) ?? [];
  const rows = table
    .split('\n')
    .filter((line) => /^\| [^-]/.test(line))
    .slice(1);
  const named = rows
    .flatMap((row) => [...row.matchAll(/`([\w./-]+\/)`|`([\w./-]+\.ts)`/g)])
    .map(([, folder, file]) => folder ?? file ?? '');

  it('finds stores in the code', () => {
    expect(holding).toEqual(expect.arrayContaining(['access/token-verifier.ts', 'http/server/bounded-server.ts']));
  });

  it.each(holding)('%s', (file) => {
    const isNamed = named.some((name) => file === name || (name.endsWith('/') && file.startsWith(name)));
    expect([file, isNamed || file in DECIDED_BY_CODE]).toEqual([file, true]);
  });

  it('each row has a bound in bytes, and names files that exist', () => {
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect(row).toMatch(/\b(?:KiB|MiB|CACHE_MAX_BYTES|heap)\b[^|]*\|$/);
    expect(named.filter((name) => !files.includes(name.replace(/\/$/, '')))).toEqual([]);
    expect(Object.keys(DECIDED_BY_CODE).filter((file) => !holding.includes(file))).toEqual([]);
  });
});
