import type { NestInterceptor } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { CompressCallback } from 'node:zlib';
import { map } from 'rxjs';
import { eventually } from '../../testing/upstream/eventually';
import { wireRecords } from '../../testing/upstream/records';
import { held, json } from '../../testing/upstream/responses';
import { expectProblem, expectResponse } from '../support/expected';
import { type HttpResponse, type RunningService, useScriptedService } from '../support/service';

/** Room for the compressors and three lists of {@link LIST}. */
jest.mock('../../src/http/server/bounds', () => {
  const actual = jest.requireActual<typeof import('../../src/http/server/bounds')>('../../src/http/server/bounds');
  return { ...actual, MAX_UNSENT_BYTES: actual.COMPRESSORS_BYTES + 900_000 };
});

/** Compressors that wait until they are released. */
let gate = Promise.resolve();
jest.mock('node:zlib', () => {
  const actual = jest.requireActual<typeof import('node:zlib')>('node:zlib');
  const gzip = (...given: [Buffer, CompressCallback]): void =>
    void gate.then(() => {
      actual.gzip(...given);
    });
  return { ...actual, gzip };
});
function holdCompressors(): () => void {
  let release: () => void = () => undefined;
  gate = new Promise((resolve) => (release = resolve));
  return release;
}
afterEach(() => {
  gate = Promise.resolve();
});

const LIST = json({ ShippingDetails: wireRecords(1000) });
const LARGE = 'GetShippingDetails?Limit=1000';
const GZIP = { 'Accept-Encoding': 'gzip' };
const HELD_BYTES = 'http_server_unsent_bytes';
const PREPARED_BYTES = 300_000;

const untilHeld = (service: RunningService, isReached: (bytes: number) => boolean): Promise<number> =>
  eventually('held bytes', () => service.metric(HELD_BYTES), isReached);

describe('D59 responses that wait for a compressor', () => {
  const scripted = useScriptedService();
  beforeEach(() => {
    scripted.upstream.respondWith(LIST);
  });

  const ask = (headers = {}) => scripted.service.request(LARGE, { ...GZIP, ...headers });

  /** Lets three responses wait for a compressor. Returns what lets them be sent. */
  async function fillMemory(): Promise<() => Promise<HttpResponse[]>> {
    const release = holdCompressors();
    const waiting = Promise.all([ask(), ask(), ask()]);
    await untilHeld(scripted.service, (bytes) => bytes > 2.5 * PREPARED_BYTES);
    return () => {
      release();
      return waiting;
    };
  }

  it('count as held, and close no client that reads', async () => {
    const finish = await fillMemory();
    const refused = await ask();
    expectProblem(refused, 503, 'overloaded');
    expect(refused.headers).toMatchObject({ 'shipping-overload': 'unsent-bytes', 'retry-after': '1' });
    for (const name of ['etag', 'content-encoding', 'cache-status', 'link']) {
      expect([name, refused.headers[name]]).toEqual([name, undefined]);
    }
    expect(await scripted.service.metric('http_server_refused_requests_total{cause="unsent-bytes"}')).toBe(1);
    for (const response of await finish()) expectResponse(response, 'complete;limit=1000');
    await untilHeld(scripted.service, (bytes) => bytes < PREPARED_BYTES);
    expectResponse(await ask(), 'complete;limit=1000');
  });
});

describe('D59 D75 clients that share a cached list', () => {
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' });

  it('hold its bytes once, and get each coding from one compressor', async () => {
    const { behaviour, release } = held(LIST);
    scripted.upstream.respondWith(behaviour);
    const releaseCompressors = holdCompressors();
    const asked = Array.from({ length: 30 }, () => scripted.service.request(LARGE, GZIP));
    await scripted.service.untilActive(30);
    release();
    await untilHeld(scripted.service, (bytes) => bytes > PREPARED_BYTES / 2);
    expect(await scripted.service.metric(HELD_BYTES)).toBeLessThan(2 * PREPARED_BYTES);
    releaseCompressors();
    const bodies = new Set((await Promise.all(asked)).map(({ bytes }) => bytes.toString('latin1')));
    expect([bodies.size, scripted.upstream.calls.length]).toEqual([1, 1]);
  });
});

/** Records when it gets a body, and when the body that it returns is serialised. */
const events: string[] = [];
const intercept: NestInterceptor['intercept'] = (_, next) =>
  next.handle().pipe(
    map((body: unknown[]) => {
      events.push('read');
      const toJSON = (): unknown[] => {
        events.push('serialised');
        return [...body, 'changed'];
      };
      return { toJSON };
    }),
  );

describe('D74 D75 clients that share a large list which an interceptor changes', () => {
  const recording = { module: class {}, providers: [{ provide: APP_INTERCEPTOR, useValue: { intercept } }] };
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' }, { imports: [recording] });

  it('get a copy each, one copy at a time', async () => {
    const { behaviour, release } = held(LIST);
    scripted.upstream.respondWith(behaviour);
    const ask = () => scripted.service.get(`/api/Shipping/${LARGE}`, { notOurs: true });
    const asked = Array.from({ length: 20 }, ask);
    await scripted.service.untilActive(20);
    events.length = 0;
    release();
    for (const response of await Promise.all(asked)) expect(response.json()).toHaveLength(1001);
    expect(events).toEqual(Array.from({ length: 20 }, () => ['read', 'serialised']).flat());
    expect(scripted.upstream.calls).toHaveLength(1);
  });
});
