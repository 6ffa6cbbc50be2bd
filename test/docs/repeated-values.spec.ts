import type { FastifyInstance } from 'fastify';
import { existsSync, readdirSync } from 'node:fs';
import { observeRequests } from '../../src/http/requests/request-log';
import { RequestRecord } from '../../src/http/requests/request-record';
import { continueTrace } from '../../src/observability/tracing/tracing';
import { PAGE_NUMBER, PAGE_SIZE } from '../../src/shipping/model/parameter-rules';
import { SHIPPING_STATUSES, STATUS_WORDS } from '../../src/shipping/model/shipping-status';
import { read, ROOT } from '../support/read';

const quoted = (text: string): string => `\`${text}\``;
const STATUSES = SHIPPING_STATUSES.map(quoted);

/** Values of the code that pages and the example of a grid repeat: who changes one is told where else it stands. */
describe.each([
  ['docs/contract.md', [...STATUSES, quoted(PAGE_NUMBER.message), quoted(PAGE_SIZE.message)]],
  ['docs/contract.md', [`by name: ${SHIPPING_STATUSES.toSorted().join(', ')}`]],
  ['docs/consumers.md', [quoted(PAGE_SIZE.message)]],
  ['docs/connecting.md', [...STATUS_WORDS.keys()].map(quoted)],
  ['examples/grid/index.html', SHIPPING_STATUSES.map((status) => `<option>${status}</option>`)],
])('%s', (path, values) => {
  const text = read(path);
  it.each(values)('has %s', (value) => {
    expect(text.includes(value)).toBe(true);
  });
});

it('D77 docs/production.md has every field of the line of a request, those that few requests have included', () => {
  const record = new RequestRecord(continueTrace(undefined), { url: '/', config: {} } as never);
  const request = { method: 'GET', id: 'a', record, raw: { socket: {} } };
  const addHook = (name: string, hook: (...args: unknown[]) => void): void => {
    if (name === 'onResponse') hook(request, { statusCode: 200 }, () => undefined);
  };
  // What is written lacks the fields that this request does not have.
  const stringify = jest.spyOn(JSON, 'stringify');
  observeRequests(
    { addHook } as never as FastifyInstance,
    { requests: { observe: jest.fn() } } as never,
    { write: jest.fn() } as never,
    0,
  );
  const [[line] = []] = stringify.mock.calls;
  stringify.mockRestore();
  const fields = Object.keys(line as object);
  expect(fields).toContain('cause');
  const [, page = ''] = /^## Logs$(.*?)^### /ms.exec(read('docs/production.md')) ?? [];
  expect(fields.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`"${name}":`))).toEqual([]);
});

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
