import type { NestInterceptor } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { CompressCallback } from 'node:zlib';
import { map } from 'rxjs';
import { eventually } from '../../testing/upstream/eventually';
import { wireRecords } from '../../testing/upstream/records';
import { held, json } from '../../testing/upstream/responses';
import { useScriptedService } from '../support/service';

/** What compressors wait for. */
let gate = Promise.resolve();
jest.mock('node:zlib', () => {
  const actual = jest.requireActual<typeof import('node:zlib')>('node:zlib');
  const gzip = (...given: [Buffer, CompressCallback]): void =>
    void gate.then(() => {
      actual.gzip(...given);
    });
  return { ...actual, gzip };
});

const LIST = json({ ShippingDetails: wireRecords(1000) });
const LARGE = 'GetShippingDetails?Limit=1000';
const GZIP = { 'Accept-Encoding': 'gzip' };
const PREPARED_BYTES = 300_000;

describe('D59 D75 clients that share a cached list', () => {
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' });
  const heldBytes = (): Promise<number> => scripted.service.metric('http_server_unsent_bytes');

  it('hold its bytes once, and get each coding from one compressor', async () => {
    const { behaviour, release } = held(LIST);
    scripted.upstream.respondWith(behaviour);
    let releaseCompressors: () => void = () => undefined;
    gate = new Promise((resolve) => (releaseCompressors = resolve));
    const asked = Array.from({ length: 30 }, () => scripted.service.request(LARGE, GZIP));
    await scripted.service.untilActive(30);
    release();
    await eventually('held bytes', heldBytes, (bytes) => bytes > PREPARED_BYTES / 2);
    expect(await heldBytes()).toBeLessThan(2 * PREPARED_BYTES);
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
