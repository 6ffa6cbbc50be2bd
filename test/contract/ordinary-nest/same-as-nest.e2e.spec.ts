import {
  BadRequestException,
  Controller,
  ForbiddenException,
  Get,
  HttpException,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Param,
  UnauthorizedException,
} from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ExternalShippingGateway } from '../../../src/shipping/gateway/external-shipping.gateway';
import { createTestingApp, type TestingAppOptions } from '../../../testing/testing-app';

/** What `createError` of http-errors makes. */
function httpError(status: number, message: string): Error {
  return Object.assign(new Error(message), { status, statusCode: status, expose: status < 500 });
}

/** By the name in the path: what is thrown, and what clients of the service get beside Nest's status and message. */
const THROWN: Readonly<Record<string, [thrown: unknown, members?: object]>> = {
  unauthorized: [new UnauthorizedException('Who are you?')],
  'http-errors': [httpError(404, 'No such carrier')],
  'http-errors-5xx': [httpError(503, 'the database is down')],
  object: [{ statusCode: 409, message: 'Taken' }],
  'object-5xx': [{ statusCode: 503, message: 'Closed on Sundays' }],
  'object-without-message': [{ statusCode: 409 }],
  'status-and-error': [new HttpException({ status: 403, error: 'Not on Sundays' }, 403), { error: 'Not on Sundays' }],
  'message-and-code': [new HttpException({ message: 'Late', error: 'E_LATE' }, 422), { error: 'E_LATE' }],
  description: [new BadRequestException('bad', { description: 'Worse' }), { error: 'Worse' }],
  'error-code': [new HttpException('coded', 400, { errorCode: 'E42' }), { errorCode: 'E42' }],
  'error-code-of-class': [new ForbiddenException('no', { errorCode: 'E43' }), { errorCode: 'E43' }],
  'response-is-error': [new UnauthorizedException(new Error('hidden'))],
  array: [new HttpException(['carrier must be known'] as never, 422)],
  'status-of-elsewhere': [Object.assign(new Error('hidden'), { statusCode: 404, status: 404 })],
  'status-code-of-elsewhere': [Object.assign(new Error('hidden'), { statusCode: 401 })],
  error: [new Error('hidden')],
  text: ['hidden'],
  nothing: [undefined],
};

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

const thrownAt = (url = ''): unknown => THROWN[/([\w-]+)(?:\?.*)?$/.exec(url)?.[1] ?? '']?.[0];

@Controller('team')
class TeamController {
  @Get('route/:name')
  route(@Param('name') name: string): never {
    throw thrownAt(name);
  }

  @Get('*')
  behindMiddleware(): string {
    return 'passed';
  }
}

@Module({ controllers: [TeamController] })
class TeamModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const original = (request: IncomingMessage): string => (request as Partial<FastifyRequest>).originalUrl ?? '';
    consumer
      .apply((request: IncomingMessage) => {
        throw thrownAt(original(request));
      })
      .forRoutes('team/sync/*path');
    consumer
      .apply(async (request: IncomingMessage) => {
        await Promise.resolve();
        throw thrownAt(original(request));
      })
      .forRoutes('team/async/*path');
    consumer
      .apply((request: IncomingMessage, _: unknown, next: (error: unknown) => void) => {
        next(thrownAt(original(request)) ?? new Error('hidden'));
      })
      .forRoutes('team/next/*path');
    consumer
      .apply((_: unknown, __: unknown, next: () => void) => {
        next();
        throw new Error('hidden');
      })
      .forRoutes('team/twice/*path');
  }
}

describe('D83 exceptions keep status and message as in Nest', () => {
  let service: NestFastifyApplication;
  let nest: NestFastifyApplication;
  let thrownByGateway: unknown;

  beforeAll(async () => {
    const imports = [TeamModule];
    const list = (): never => {
      throw thrownByGateway;
    };
    const configure: TestingAppOptions['configure'] = (builder) =>
      builder.overrideProvider(ExternalShippingGateway).useValue({ list });
    service = await createTestingApp({ imports, configure });
    const plain = await Test.createTestingModule({ imports }).setLogger(SILENT).compile();
    nest = plain.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    await Promise.all([service.init(), nest.init()]);
    await nest.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => Promise.all([service.close(), nest.close()]));

  const names = Object.keys(THROWN);
  const places = ['route', 'sync', 'async', 'next'];
  it.each(places.flatMap((place) => names.map((name) => [place, name] as const)))('%s: %s', async (place, name) => {
    const url = `/team/${place}/${name}`;
    const [ours, theirs] = await Promise.all([service.inject({ url }), nest.inject({ url })]);
    expect(ours.statusCode).toBe(theirs.statusCode);
    const problem = ours.json<Record<string, unknown>>();
    const { message } = theirs.json<{ message?: unknown }>();
    const isOwn = !/^(Internal server error|Service Unavailable|Unauthorized)$/.test(String(message));
    if (typeof message === 'string' && isOwn) expect(problem.detail).toBe(message);
    expect(problem).toMatchObject({ ...THROWN[name]?.[1], requestId: ours.headers['x-request-id'] });
    expect(ours.body).not.toMatch(/hidden|database/);
  });

  it('a middleware that throws late ends no other request', async () => {
    const urls = ['/team/twice/a', '/team/x', '/team/twice/b', '/team/y'];
    const responses = await Promise.all(urls.map((url) => service.inject({ url })));
    expect([responses[1]?.body, responses[3]?.body]).toEqual(['passed', 'passed']);
    expect([200, 500]).toContain(responses[0]?.statusCode);
  });

  const REFUSALS = ['http-errors', 'object', 'unauthorized', 'status-and-error'];
  it.each(REFUSALS)('a refusal becomes no empty list: %s', async (name) => {
    thrownByGateway = THROWN[name]?.[0];
    const { statusCode, headers } = await service.inject({ url: '/api/Shipping/GetShippingDetails' });
    expect([Math.floor(statusCode / 100), headers['shipping-completeness']]).toEqual([4, undefined]);
  });
});
