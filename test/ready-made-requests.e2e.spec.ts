import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILURE_SWITCHES } from '../src/sandbox/failure-switches';
import { startSandbox, type RunningSandbox } from '../src/sandbox/sandbox.server';
import { holdLongWaits } from './support/held-waits';
import { OPERATIONS } from './support/operations';
import { readCurlJourney, readHttpFile, type ReadyMadeRequest } from './support/ready-made-requests';
import { RunningService } from './support/service';

const read = (path: string): string => readFileSync(join(__dirname, '..', path), 'utf8');
const HTTP_FILE = readHttpFile(read('docs/requests.http'));
const JOURNEY = readCurlJourney(read('README.md'));

describe('ready-made requests answer as they say', () => {
  let sandbox: RunningSandbox;
  let service: RunningService;

  let restoreWaits: () => void;

  beforeAll(async () => {
    // The wait of SIMULATE-SLOW ends at once.
    restoreWaits = holdLongWaits((ms) => ms === 1_500).restore;
    sandbox = await startSandbox({ port: 0, records: 2000, variant: 'extended' });
    service = await RunningService.start({
      EXTERNAL_SHIPPING_BASE_URL: sandbox.url,
      // Many of them fail on purpose; these keep that short and the circuit closed.
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '400',
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
    });
  });
  afterAll(async () => {
    await service.close();
    await sandbox.close();
    restoreWaits();
  });

  const send = async ({ method, target, headers, check }: ReadyMadeRequest): Promise<void> => {
    check(await service.get(target, { method, headers }));
  };

  it.each(HTTP_FILE.map((request) => [request.title, request] as const))('docs/requests.http: %s', (_, request) =>
    send(request),
  );

  it.each(JOURNEY.map((request) => [request.title, request] as const))('README.md: %s', (_, request) => send(request));

  it.each(OPERATIONS)('$name is among them, in both', ({ name }) => {
    for (const requests of [HTTP_FILE, JOURNEY]) {
      expect(requests.map(({ target }) => target)).toContainEqual(expect.stringContaining(name));
    }
  });

  it.each(FAILURE_SWITCHES)('D30 %s is among them', (text) => {
    expect(HTTP_FILE.map(({ target }) => target)).toContainEqual(expect.stringContaining(text));
  });
});

describe('a ready-made request that is not true is found out', () => {
  const answer = (status: number, body: string, headers: Record<string, string> = {}) => ({
    status,
    body,
    headers,
    bytes: Buffer.from(body),
    json: (): unknown => JSON.parse(body),
  });
  const sound = answer(200, '{"a":1,"b":[]}', { 'shipping-completeness': 'complete' });

  it.each([
    ['200', true],
    ['404', false],
    ['Shipping-Completeness: complete', true],
    ['Shipping-Completeness: partial', false],
    ['ETag: W/"a"', false],
    ['{"a":1}', true],
    ['{"a":2}', false],
    ['{"b":[{}]}', false],
    ['"{"', false],
    ['nothing', false],
  ])('by # => %s: %s', (line, holds) => {
    const [request] = readHttpFile(`@host = http://localhost:3000\n### Title\n# => ${line}\nGET {{host}}/path\n`);
    const check = () => request?.check(sound);
    if (holds) expect(check).not.toThrow();
    else expect(check).toThrow();
  });

  it.each([
    ['curl -s \'localhost:3000/path\'\n{"a":1,"b":[]}', true],
    ['curl -s \'localhost:3000/path\'\n{"a":…,"b":[]}', true],
    ['curl -s \'localhost:3000/path\'\n{"a":1}', false],
    ['curl -s \'localhost:3000/path\' | cut -c1-4\n{"a"', true],
    ['curl -s \'localhost:3000/path\' | cut -c1-4\n{"b"', false],
    ['curl -si \'localhost:3000/path\'\nHTTP/1.1 200 OK\nshipping-completeness: complete\n\n{"a":1,"b":[]}', true],
    ['curl -si \'localhost:3000/path\'\nHTTP/1.1 200 OK\nshipping-completeness: partial\n\n{"a":1,"b":[]}', false],
    ['curl -si \'localhost:3000/path\'\nHTTP/1.1 500 OK\n\n{"a":1,"b":[]}', false],
  ])('by $ %s: %s', (printed, holds) => {
    const [request] = readCurlJourney(`\`\`\`console\n$ ${printed}\n\`\`\`\n`);
    const check = () => request?.check(sound);
    expect(request?.target).toBe('/path');
    if (holds) expect(check).not.toThrow();
    else expect(check).toThrow();
  });

  it.each([
    ['wget localhost:3000/'],
    ['curl -k localhost:3000/ localhost:3000/'],
    ['curl example.com'],
    ['curl localhost:3000/ | sort'],
  ])('%s is not understood', (command) => {
    expect(() => readCurlJourney(`\`\`\`console\n$ ${command}\n\`\`\`\n`)).toThrow('Not understood');
  });
});
