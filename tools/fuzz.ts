import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { residentMiB } from '../measure/bench/sampling';
import { ServiceProcess } from '../test/faults/support/service-process';
import { json } from '../test/support/upstream/responses';
import { responseHead, type Behaviour } from '../test/support/upstream/exchange';
import { anyReply } from '../test/support/upstream/records';
import { ScriptedUpstream } from '../test/support/upstream/scripted-upstream';
import { mutate, randomFrom, type Random } from './fuzz-mutations';

/**
 * Sends mutated requests to the built service and lets its external system send mutated responses, from a seed, for a
 * number of seconds. Each round is one request; the last line counts rounds and final checks.
 */

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
});
const SECONDS = Number(options.seconds);
const SEED = Number(options.seed ?? Date.now() % 2 ** 31);

const CONCURRENT = 8;
/** Bounds one exchange; the service closes what is incomplete after 10 s, so that most are given up before. */
const PATIENCE_MS = 1_500;
/** Bounds hangs. */
const GOOD_PATIENCE_MS = 30_000;
/** A good request is sent after so many rounds, by each lane. */
const GOOD_EVERY = 20;
const MAX_GROWTH_MIB = 100;
/** What the contract names for every route; 500 is for single lookups whose external system failed (D15). */
const NAMED_5XX = [502, 503, 504];

const TARGETS = [
  '/api/Shipping/GetShippingSingle?Id=SHP-1',
  '/api/Shipping/GetShippingInfoById/SHP-1',
  '/api/Shipping/GetShippingDetails?Status=InTransit&Limit=5&FromDate=2024-01-01',
  '/api/Shipping/GetShippingPagedList?PageNumber=1&PageSize=2&SortBy=Status&SortDirection=asc',
  '/health/ready',
  '/docs?x=%41',
] as const;
const HEADERS =
  'Host: localhost\r\nAccept: application/json\r\nAccept-Encoding: gzip, br\r\nPrefer: handling=strict\r\n';
const GOOD = 'GET /api/Shipping/GetShippingInfoById/SHP-GOOD HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

function request(random: Random): Buffer {
  const target = TARGETS[random(TARGETS.length)] ?? TARGETS[0];
  return requestOf(target, random(2) === 0 ? 'If-None-Match: W/"a"\r\nX-Request-Id: fuzz\r\n' : '');
}

function requestOf(target: string, more = ''): Buffer {
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${HEADERS}${more}Connection: close\r\n\r\n`);
}

/** A response of the external system with mutated bytes; a good one for {@link GOOD}. */
function upstreamResponse(random: Random): Behaviour {
  const body = Buffer.from(JSON.stringify(anyReply()));
  const head = responseHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) });
  const bytes = mutate(Buffer.concat([Buffer.from(head), body]), random);
  return {
    perform: async (exchange) => {
      await exchange.write(bytes);
      exchange.close();
    },
  };
}

/** What the service sends until it closes the connection or patience ends. */
async function exchange(port: number, bytes: Buffer, patienceMs = PATIENCE_MS): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(end, patienceMs);
    socket.on('data', (piece) => (text += piece.toString('latin1')));
    socket.on('error', end).on('close', end);
    socket.write(bytes);
  });
}

/** The named 5xx, and no other; nothing at all where the service waits for the rest of the request. */
function faultOf(response: string): string | undefined {
  if (response === '') return undefined;
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1] ?? NaN);
  if (Number.isNaN(status)) return 'no status line';
  if (status === 500 && response.includes('"code":"external-system-failed"')) return undefined;
  return status >= 500 && !NAMED_5XX.includes(status) ? `status ${status}` : undefined;
}

/**
 * Retries a named failure: mutated responses of the external system open the circuit, and a busy machine makes calls come too
 * late.
 */
async function goodFault(port: number): Promise<string | undefined> {
  let response = '';
  for (let attempt = 0; attempt < 40; attempt += 1) {
    response = await exchange(port, Buffer.from(GOOD), GOOD_PATIENCE_MS);
    if (!response.startsWith('HTTP/1.1 5') || faultOf(response) !== undefined) break;
    await sleep(100);
  }
  const [head = '', body = ''] = response.split('\r\n\r\n');
  const isComplete = head.startsWith('HTTP/1.1 200 ') && /^shipping-completeness: complete/im.test(head);
  const hasLength = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? NaN) === body.length;
  return isComplete && hasLength ? undefined : `a good request got ${JSON.stringify(head.slice(0, 60))}`;
}

/** A request that the service refuses before anything is mutated would test little. */
async function targetFaults(port: number): Promise<string[]> {
  const faults: string[] = [];
  for (const target of TARGETS) {
    const response = await exchange(port, requestOf(target));
    if (response.startsWith('HTTP/1.1 4')) faults.push(`${target} got ${response.slice(9, 12)}`);
  }
  return faults;
}

async function startUpstream(): Promise<ScriptedUpstream> {
  const upstream = await ScriptedUpstream.start();
  const upstreamRandom = randomFrom(SEED + 1);
  upstream.respondWith(({ target }) => {
    // The record of calls would grow with the run.
    upstream.calls.length = 0;
    return target.includes('SHP-GOOD') || upstreamRandom(2) === 0 ? json() : upstreamResponse(upstreamRandom);
  });
  return upstream;
}

async function startService(externalSystem: string): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(
    {
      EXTERNAL_SHIPPING_BASE_URL: externalSystem,
      EXTERNAL_SHIPPING_TIMEOUT_MS: '1000',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '300',
      EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '200',
    },
    { entry: 'dist/main.js' },
  );
  service.discardLog();
  return service;
}

async function main(): Promise<void> {
  process.stdout.write(`seed ${SEED}, ${SECONDS} seconds\n`);
  const upstream = await startUpstream();
  const service = await startService(upstream.url);
  const port = Number(new URL(service.url).port);
  const faults = await targetFaults(port);
  const failed = (fault: string | undefined, bytes?: Buffer): void => {
    if (fault !== undefined) faults.push(bytes === undefined ? fault : `${fault} for ${JSON.stringify(bytes.toString('latin1'))}`); // prettier-ignore
  };
  let passed = 0;
  const lane = async (random: Random, end: number): Promise<void> => {
    for (let round = 1; performance.now() < end && service.alive && faults.length < 10; round += 1) {
      const bytes = mutate(request(random), random);
      const before = faults.length;
      failed(faultOf(await exchange(port, bytes)), bytes);
      if (round % GOOD_EVERY === 0) failed(await goodFault(port));
      if (faults.length === before) passed += 1;
    }
  };
  const lanes = (seed: number, seconds: number): Promise<unknown> => {
    const end = performance.now() + seconds * 1000;
    return Promise.all(Array.from({ length: CONCURRENT }, (_, index) => lane(randomFrom(seed + 10 + index), end)));
  };
  // Memory is compared with that after a warm-up.
  await lanes(SEED + 1000, SECONDS / 4);
  const warm = service.alive ? residentMiB(service.pid) : 0;
  await lanes(SEED, (SECONDS * 3) / 4);
  if (service.alive) failed(await goodFault(port));
  const grown = service.alive ? residentMiB(service.pid) - warm : 0;
  if (!service.alive) failed('the process ended');
  if (grown > MAX_GROWTH_MIB) failed(`memory grew by ${grown} MiB`);
  service.signal('SIGTERM');
  const { code } = await service.exit;
  if (code !== 0) failed(`it ended with ${String(code)}`);
  if (service.stderr !== '') failed(`standard error: ${service.stderr.slice(0, 2000)}`);
  await upstream.close();
  for (const fault of faults) process.stdout.write(`--- ${fault}\n`);
  process.stdout.write(`seed ${SEED}, memory ${Math.round(grown)} MiB above that after the warm-up\n`);
  process.stdout.write(`${passed} passed, ${faults.length} failed\n`);
  process.exit(faults.length === 0 && passed > 0 ? 0 : 1);
}

main().catch((error: unknown) => {
  process.stdout.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n0 passed, 1 failed\n`,
  );
  process.exit(1);
});
