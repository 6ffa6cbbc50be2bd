import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../src/sandbox/sandbox.server';
import { exchangeRaw } from './faults/support/raw-connection';
import { STRICT } from './support/operations';
import { RunningService } from './support/service';

interface Example {
  readonly summary: string;
  readonly value: unknown;
}
interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly examples: Readonly<Record<string, Example>> }>>;
}
interface Document {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly responses: Readonly<Record<string, Response>> } }>
  >;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

const DOCUMENT = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as Document;
const BY_ID = '/api/Shipping/GetShippingInfoById';
const PAGED = '/api/Shipping/GetShippingPagedList';

/** What to ask for each example of a shared error answer, by its name; the path is that of the example. */
const ASKED: Readonly<Record<string, { query?: string; headers?: Record<string, string>; method?: string }>> = {
  badValue: { query: '?Status=Lost' },
  repeated: { query: '?OrderId=ORD-000001&orderid=ORD-000001' },
  unknown: { query: '?SearchTrem=Berlin', headers: STRICT },
  missing: {},
  badIdentifier: {},
  notFound: {},
  methodNotAllowed: { method: 'POST' },
  expectationFailed: { headers: { Expect: 'anything' } },
  headerFieldsTooLarge: { query: `?SearchTerm=${'x'.repeat(20_480)}` },
  externalSystemFailed: {},
  upstreamError: { query: '?SearchTerm=SIMULATE-500', headers: STRICT },
  badReply: { query: '?SearchTerm=SIMULATE-BAD-SHAPE', headers: STRICT },
  unreachable: { query: '?SearchTerm=SIMULATE-RESET', headers: STRICT },
  upstreamTimeout: { query: '?SearchTerm=SIMULATE-TIMEOUT', headers: STRICT },
}; // prettier-ignore

/** Those that need a service in distress, or no client would send: other suites see their responses. */
const NOT_ASKED = ['malformed', 'requestTimeout', 'internalError', 'circuitOpen', 'saturated', 'overloaded'];

const SUCCESSES = Object.entries(DOCUMENT.paths)
  .filter(([path]) => path.startsWith('/api/'))
  .flatMap(([path, { get }]) =>
    Object.values(get.responses[200]?.content ?? {}).flatMap(({ examples }) =>
      Object.entries(examples).map(([name, example]) => [path, name, example] as const),
    ),
  );

const PROBLEMS = Object.values(DOCUMENT.components.responses).flatMap(({ content = {} }) =>
  Object.values(content).flatMap(({ examples }) => Object.entries(examples)),
);

describe('the examples of openapi.json', () => {
  let sandbox: RunningSandbox;
  let service: RunningService;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: 2000, variant: 'extended' });
    service = await RunningService.start({
      EXTERNAL_SHIPPING_BASE_URL: sandbox.url,
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '500',
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
      LOG_LEVEL: 'silent',
    });
  });
  afterAll(async () => {
    await service.close();
    await sandbox.close();
  });

  it('are there for each completeness', () => {
    expect(new Set(SUCCESSES.map(([, name]) => name))).toEqual(new Set(['complete', 'partial', 'unavailable']));
    expect(SUCCESSES.length).toBeGreaterThanOrEqual(10);
  });

  it.each(SUCCESSES)('%s, %s: the sandbox gives what is shown', async (path, name, { summary, value }) => {
    const [asked = ''] = summary.split(' ');
    const answer = await service.get(path.startsWith(BY_ID) ? `${BY_ID}/${asked}` : `${path}${asked}`);
    expect(answer.json()).toEqual(value);
    expect(answer.headers['shipping-completeness']).toMatch(new RegExp(`^${name}\\b`));
  });

  it('each problem has an example request', () => {
    const names = new Set(PROBLEMS.map(([name]) => name));
    expect([...names].sort()).toEqual([...Object.keys(ASKED), ...NOT_ASKED].sort());
  });

  it.each(PROBLEMS.filter(([name]) => !NOT_ASKED.includes(name)))('%s: the service returns this problem', async (name, { value }) => {
    const { instance, requestId } = value as { instance: string; requestId: string };
    const { query = '', headers = {}, method } = ASKED[name] ?? {};
    const answer = await service.get(`${instance || PAGED}${query}`, { method, headers: { ...headers, 'X-Request-Id': requestId } });
    // A request that could not be read as far as its path has an id of its own.
    expect(answer.json()).toEqual({ ...(value as object), ...(instance === '' && { requestId: answer.headers['x-request-id'] }) });
  }); // prettier-ignore

  it('malformed: the service returns this problem', async () => {
    const [, example] = PROBLEMS.find(([name]) => name === 'malformed') ?? [];
    const { requestId } = example?.value as { requestId: string };
    const [answer] = await exchangeRaw(service.url, `GET ${PAGED} HTTP/1.1\r\nX-Request-Id: ${requestId}\r\n\r\n`);
    expect(JSON.parse(answer?.body ?? '')).toEqual(example?.value);
  });

  it('D37 the paging problem: the service returns it', async () => {
    const example =
      DOCUMENT.paths[PAGED]?.get.responses[400]?.content?.['application/problem+json']?.examples.badPageNumber;
    const { requestId } = example?.value as { requestId: string };
    const headers = { Accept: 'application/problem+json', 'X-Request-Id': requestId };
    expect((await service.get(`${PAGED}?PageNumber=0`, { headers })).json()).toEqual(example?.value);
  });

  it.each(Object.values(DOCUMENT.paths[PAGED]?.get.responses[400]?.content?.['text/plain']?.examples ?? {}))(
    'D4 $summary: the service says it in these words',
    async ({ summary, value }) => {
      expect((await service.get(`${PAGED}${summary}`)).body).toBe(value);
    },
  );
});
