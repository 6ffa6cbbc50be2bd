import {
  Controller,
  type DynamicModule,
  ForbiddenException,
  Get,
  type NestInterceptor,
  Scope,
  StreamableFile,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { map, mergeMap, of, throwError } from 'rxjs';
import { wireBody, wireRecord } from '../../../testing/upstream/records';
import { json, validResponse } from '../../../testing/upstream/responses';
import { OPERATIONS, PAGED, rowsFor, withQuery } from '../../support/operations';
import { useScriptedService, useStart } from '../../support/service';

/** A module of a team with an interceptor for all requests. */
function intercepting(intercept: NestInterceptor['intercept'], scope?: Scope): DynamicModule {
  return { module: class {}, providers: [{ provide: APP_INTERCEPTOR, scope, useFactory: () => ({ intercept }) }] };
}

/** Hides who created records from all but auditors, in the body that the handler returned. */
const hide: NestInterceptor['intercept'] = (execution, next) => {
  const { headers } = execution.switchToHttp().getRequest<FastifyRequest>();
  return next.handle().pipe(
    map((body: { items: { createdBy: string | null }[] }) => {
      if (headers['x-role'] !== 'auditor') for (const item of body.items) item.createdBy = null;
      return body;
    }),
  );
};

const AUDITOR = { 'X-Role': 'auditor' };

describe.each([
  { scope: 'all requests', module: intercepting(hide) },
  { scope: 'one request each', module: intercepting(hide, Scope.REQUEST) },
])('D74 a body that an interceptor for $scope changes', ({ module }) => {
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' }, { imports: [module] });

  it.each([
    ['an auditor', 'an ordinary user', AUDITOR, {}],
    ['an ordinary user', 'an auditor', {}, AUDITOR],
  ])('D74 is that of its request: %s, then %s', async (name, _, first, second) => {
    const request = withQuery(PAGED.request, `SearchTerm=${encodeURIComponent(name)}`);
    for (const headers of [first, second, first, second]) {
      const response = await scripted.service.request(request, { ...headers });
      expect([headers, response.body.includes('"createdBy":null')]).toEqual([headers, headers !== AUDITOR]);
    }
    expect(scripted.upstream.calls).toHaveLength(1);
  });
});

describe('D74 an interceptor of a team that wraps bodies', () => {
  // As in the documentation of Nest.
  const wrapping = intercepting((_, next) => next.handle().pipe(map((data: unknown) => ({ data }))));
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' }, { imports: [wrapping] });

  it('D74 wraps those of the operations, also on cache hits', async () => {
    for (const cacheStatus of ['fwd=miss', 'hit']) {
      const { json, headers } = await scripted.service.get(`/api/Shipping/${PAGED.request}`, { notOurs: true });
      expect(headers['cache-status']).toContain(cacheStatus);
      expect(Object.keys(json() as object)).toEqual(['data']);
    }
  });

  const OTHERS = ['/metrics', '/health/live', '/health/ready', '/openapi.json', '/openapi.yaml', '/problems'];
  it.each(OTHERS)('D25 leaves %s as it is', async (path) => {
    const response = await scripted.service.get(path);
    expect([response.status, response.body.startsWith('{"data":')]).toEqual([200, false]);
  });
});

/** Checks what the handler returned, after `respond` has set the headers of a complete result. */
const checking = intercepting((execution, next) => {
  const { headers } = execution.switchToHttp().getRequest<FastifyRequest>();
  const errors: Readonly<Record<string, Error>> = { error: new Error('failed'), exception: new ForbiddenException() };
  const error = errors[String(headers['x-throw'])];
  return next.handle().pipe(mergeMap((body: unknown) => (error === undefined ? of(body) : throwError(() => error))));
});

describe('D20 an interceptor of a team that throws after the handler has responded', () => {
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' }, { imports: [checking] });

  const ROWS = rowsFor(OPERATIONS, [['error'], ['exception']]);
  it.each(ROWS)('%s is not called complete: %s', async (_, thrown, { request }) => {
    for (const behaviour of [json(wireBody({ ...wireRecord({ OrderId: [] }), Items: [7] })), validResponse]) {
      scripted.upstream.respondWith(behaviour);
      const { status, headers } = await scripted.service.request(request, { 'X-Throw': thrown });
      expect([status >= 400, headers['cache-control']]).toEqual([true, 'no-store']);
      for (const name of ['shipping-completeness', 'etag', 'link', 'age', 'cache-status']) {
        expect([name, headers[name]]).toEqual([name, undefined]);
      }
    }
    await scripted.service.untilLogged(2);
    const [line] = scripted.service.requestLog.slice(-1);
    expect([line?.completeness, line?.cause]).toEqual([undefined, undefined]);
  });
});

/** A body of 4 MiB, of which the first bytes have left, also in gzip, when an error comes. */
function broken(): Readable {
  let parts = 0;
  return new Readable({
    read() {
      parts += 1;
      if (parts < 64) this.push(randomBytes(65_536));
      else setImmediate(() => this.destroy(new RangeError('the table is gone')));
    },
  });
}

@Controller('exports')
class ExportController {
  @Get('csv')
  csv(): StreamableFile {
    return new StreamableFile(broken(), { type: 'text/csv' });
  }
}

const start = useStart();

it.each(['gzip', 'identity'])(
  'D83 a stream that breaks behind its first byte is in the log with its error: %s',
  async (coding) => {
    const { service } = await start({}, { imports: [{ module: class {}, controllers: [ExportController] }] });
    const response = await fetch(`${service.url}/exports/csv`, { headers: { 'Accept-Encoding': coding } });
    await expect(response.text()).rejects.toThrow();
    await service.untilLogged(1);
    expect(service.requestLog).toEqual([
      expect.objectContaining({ status: 500, level: 40, cause: 'the body broke off: RangeError' }),
    ]);
    expect(service.messages('Unexpected error')).toEqual([expect.stringContaining('RangeError')]);
  },
);
