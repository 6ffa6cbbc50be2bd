import { Controller, Get, Injectable, type OnModuleInit, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { createReadStream } from 'node:fs';
import { wireBody, wireItem, wireRecord, wireRecords } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { expectProblem } from '../support/expected';
import { decoded } from '../support/http-client';
import { DETAILS, OPERATIONS } from '../support/operations';
import { useScriptedService } from '../support/service';

/** Sound for all operations, and each body is some kilobytes. */
const ITEMS = Array.from({ length: 20 }, (_, index) => wireItem({ Id: `ITM-${index}` }));
// A page holds ten records at most, see D73.
const LISTS = { Items: wireRecords(10), TotalCount: 100, TotalPages: 10, ShippingDetails: wireRecords(20) };
const LARGE = json(wireBody({ ...wireRecord({ ShippingItems: ITEMS }), ...LISTS }));

describe('content compression', () => {
  const scripted = useScriptedService();
  beforeEach(() => {
    scripted.upstream.respondWith(LARGE);
  });

  const ask = (path: string, coding = 'identity', method = 'GET') =>
    scripted.service.get(path, { method, headers: { 'Accept-Encoding': coding } });

  it.each(OPERATIONS)('D12 D24 $name: one weak ETag', async (operation) => {
    const request = `/api/Shipping/${operation.request}`;
    const plain = await ask(request);
    const { etag } = plain.headers;
    expect(etag).toMatch(/^W\/"/);
    const got = await ask(request, 'gzip');
    expect(decoded(got)).toBe(plain.body);
    expect(got.bytes.length).toBeLessThan(plain.bytes.length / 2);
    const length = String(got.bytes.length);
    const { vary } = plain.headers;
    expect(got.headers).toMatchObject({ etag, 'content-encoding': 'gzip', 'content-length': length, vary });
    const compressed = await ask(request, 'gzip', 'HEAD');
    expect([compressed.status, compressed.bytes.length]).toEqual([200, 0]);
    expect(compressed.headers).toMatchObject({ etag, 'content-encoding': 'gzip', 'content-length': length });
  });

  it('D79 /metrics are compressed', async () => {
    expect((await ask('/metrics', 'gzip')).headers['content-encoding']).toBe('gzip');
  });
});

/** Files of a team, and a hook of a team that runs after the response was compressed, and fails where a client asks. */
@Controller('team')
class FilesController {
  @Get('missing')
  missing(): StreamableFile {
    return new StreamableFile(createReadStream('/no/such/file'), { type: 'text/csv', disposition: 'attachment' });
  }
}

@Injectable()
class FailingHook implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onSend', async ({ headers }, reply, payload) => {
      if (headers['x-fail'] !== undefined && reply.statusCode === 200) throw new Error('failed after the compressor');
      return Promise.resolve(payload);
    });
  }
}

describe('D79 D15 an error that takes the place of a compressed response', () => {
  const files = { module: class {}, controllers: [FilesController], providers: [FailingHook] };
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' }, { imports: [files] });

  it.each([
    ['a file that is missing', '/team/missing', {}],
    ['a list', `/api/Shipping/${DETAILS.request}`, { 'X-Fail': '1' }],
  ])('%s is not called compressed', async (_, path, fail) => {
    scripted.upstream.respondWith(LARGE);
    for (const coding of ['gzip', '*']) {
      const headers = { 'Accept-Encoding': coding };
      const whole = await scripted.service.get(path, { headers, notOurs: true });
      if (path !== '/team/missing') expect(whole.headers['content-encoding']).toBe('gzip');
      const got = await scripted.service.get(path, { headers: { ...headers, ...fail }, notOurs: true });
      expectProblem(got, 500, 'internal-error');
      for (const name of ['content-encoding', 'content-disposition', 'etag', 'cache-status']) {
        expect([name, got.headers[name]]).toEqual([name, undefined]);
      }
    }
  });
});
