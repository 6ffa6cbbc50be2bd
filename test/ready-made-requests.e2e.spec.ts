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
