import { type CallHandler, Controller, Get, type NestInterceptor, StreamableFile } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { Readable } from 'node:stream';
import { catchError, type Observable, of } from 'rxjs';
import {
  COMPLETE,
  ExternalShippingGateway,
  GatewayModule,
  GetShippingDetailsQuery,
  type QueryContext,
  ShippingContext,
  type UpstreamRequest,
} from '../../src/index';
import { wireList, wireRecords } from '../../testing/upstream/records';
import { json, status as failed } from '../../testing/upstream/responses';
import { ONCE, useScriptedService } from '../support/service';

const LIST: UpstreamRequest = { operation: { name: 'details', path: ({ details }) => details } };

/** A team's routes, each of which returns something else than the result of its queries. */
@Controller('team')
class TeamController {
  constructor(
    private readonly queryBus: QueryBus,
    private readonly gateway: ExternalShippingGateway,
  ) {}

  @Get('count')
  async count(@ShippingContext() context: QueryContext): Promise<{ n: number }> {
    const { body } = await this.queryBus.execute(new GetShippingDetailsQuery({}, context));
    return { n: body.length };
  }

  /** Forgets everything, the failure included. */
  @Get('forgetful')
  async forgetful(@ShippingContext() context: QueryContext): Promise<{ n: number }> {
    const n = await this.gateway.list(LIST, context).then(
      ({ body }) => body.length,
      () => 0,
    );
    return { n };
  }

  /** Makes its query when the stream is read. */
  @Get('streamed.csv')
  streamed(@ShippingContext() context: QueryContext): StreamableFile {
    const { forgetful } = this;
    const lines = async function* (this: TeamController) {
      yield `n\n${(await forgetful.call(this, context)).n}\n`;
    };
    return new StreamableFile(Readable.from(lines.call(this)), { type: 'text/csv' });
  }

  /** Gives up before its first byte, without an error. */
  @Get('closed.csv')
  closed(@ShippingContext() context: QueryContext): StreamableFile {
    const stream = new Readable({
      read() {
        this.destroy();
      },
    });
    return new StreamableFile(stream, { type: context.strict ? 'text/plain' : 'text/csv' });
  }

  /** A result that calls itself complete states nothing. */
  @Get('handed-on')
  async handedOn(@ShippingContext() context: QueryContext): Promise<object> {
    const { n } = await this.forgetful(context);
    return { body: { n }, completeness: COMPLETE };
  }
}

describe('D83 completeness travels with the request', () => {
  const team = { module: class {}, imports: [CqrsModule, GatewayModule], controllers: [TeamController] };
  const scripted = useScriptedService({ ...ONCE, CACHE_STALE_IF_ERROR_MS: '0' }, { imports: [team] });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    scripted.service.get(`/team/${path}`, { headers, notOurs: true });

  const ROUTES = ['count', 'forgetful', 'streamed.csv', 'handed-on'];

  it.each(ROUTES)('%s: an outage is no 200 without a word', async (path) => {
    scripted.upstream.respondWith(failed(500));
    const response = await ask(path);
    expect([response.status, response.headers['shipping-completeness']]).toEqual([
      200,
      'unavailable;reason=upstream-error',
    ]);
    expect(response.headers['cache-control']).toBe('no-store');
    await scripted.service.untilLogged(1);
    const line = scripted.service.requestLog.at(-1);
    expect(line).toMatchObject({ completeness: 'unavailable;reason=upstream-error', level: 40 });
    expect(line?.cause).toBe('status 500');
  });

  it.each(ROUTES)('D20 D24 %s: what is complete may be revalidated', async (path) => {
    scripted.upstream.respondWith(json(wireList(wireRecords(2))));
    const response = await ask(path);
    const { headers } = response;
    expect([headers['shipping-completeness'], headers['cache-control']]).toEqual(['complete', 'private, no-cache']);
    // A stream has no ETag, because it is not read before it is sent.
    if (path.endsWith('.csv')) return;
    const unchanged = await ask(path, { 'If-None-Match': String(headers.etag) });
    expect([unchanged.status, unchanged.headers['shipping-completeness']]).toEqual([304, 'complete']);
  });

  it('D83 a stream that closes before its first byte keeps no client waiting', async () => {
    const outcome = await ask('closed.csv').then(
      ({ status }) => status,
      () => 'closed',
    );
    expect([500, 'closed']).toContain(outcome);
  });
});

describe('D20 an interceptor that replaces errors', () => {
  class EmptyInstead implements NestInterceptor {
    intercept(_: unknown, next: CallHandler): Observable<unknown> {
      return next.handle().pipe(catchError(() => of([])));
    }
  }
  const team = { module: class {}, providers: [{ provide: APP_INTERCEPTOR, useClass: EmptyInstead }] };
  const scripted = useScriptedService(ONCE, { imports: [team] });

  it.each(['GetShippingDetails?Limit=x', 'GetShippingPagedList?PageNumber=0', 'GetShippingSingle'])(
    '%s: makes no 200 without a word of an operation that has made no query',
    async (request) => {
      const { status, headers } = await scripted.service.get(`/api/Shipping/${request}`, { notOurs: true });
      expect([status, headers['shipping-completeness']]).toEqual([500, undefined]);
    },
  );

  it('says what a query has found that has failed', async () => {
    scripted.upstream.respondWith(failed(500));
    const { status, headers } = await scripted.service.get('/api/Shipping/GetShippingSingle?Id=A', { notOurs: true });
    expect([status, headers['shipping-completeness']]).toEqual([200, 'unavailable;reason=upstream-error']);
  });
});
