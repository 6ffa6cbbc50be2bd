import * as nest from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiResponse } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ExternalShippingGateway } from '../../../src/shipping/gateway/external-shipping.gateway';
import { createTestingApp, type TestingAppOptions } from '../../../testing/testing-app';

/** What `createError` of http-errors makes. */
function httpError(status: number, message: string): Error {
  return Object.assign(new Error(message), { status, statusCode: status, expose: status < 500 });
}

const MEMBERS = { orders: ['ORD-1'], reason: 'in-use' };
const HEALTH = { error: { db: { status: 'down' } }, details: {}, errors: [{ id: 7 }] };
const MESSAGES = ['carrier must be known', 'lines.0.sku should not be empty', 'Try again'];
const FAULTS = [
  { parameter: 'carrier', message: 'must be known' },
  { parameter: 'lines.0.sku', message: 'should not be empty' },
  { parameter: '', message: 'Try again' },
];
const CAUSED = Object.assign(new TypeError('hidden', { cause: new RangeError('empty') }), { config: 'header' });
const MALFORMED = { detail: 'The request is malformed.' };
/** By the name in the path: what is thrown, and what clients of the service get beside Nest's status and message. */
const THROWN: Readonly<Record<string, [thrown: unknown, members?: object]>> = {
  conflict: [new nest.ConflictException('Line 1\r\nLine 2 "quoted"'), { code: 'bad-request' }],
  maintenance: [new nest.ServiceUnavailableException('Closed until noon'), { code: 'service-unavailable' }],
  server: [new nest.BadGatewayException('The carrier is closed'), { code: 'internal-error' }],
  'http-errors': [httpError(404, 'No such carrier')],
  'http-errors-5xx': [httpError(503, 'the database is down')],
  object: [{ statusCode: 409, message: 'Taken' }],
  'object-without-message': [{ statusCode: 409 }],
  members: [
    new nest.HttpException({ message: 'Own body', ...MEMBERS, status: 7, type: 'x' }, 409),
    { ...MEMBERS, status: 409, type: '/problems#bad-request' },
  ],
  health: [new nest.ServiceUnavailableException({ status: 'error', ...HEALTH }), { ...HEALTH, status: 503 }],
  'status-and-error': [new nest.HttpException({ status: 403, error: 'Never' }, 403), { error: 'Never' }],
  'error-code': [new nest.HttpException('coded', 400, { errorCode: 'E42' }), { errorCode: 'E42' }],
  'response-is-error': [new nest.UnauthorizedException(new Error('hidden'))],
  array: [new nest.HttpException(['carrier must be known'] as never, 422)],
  messages: [new nest.UnprocessableEntityException(MESSAGES), { detail: MESSAGES.join('; '), errors: FAULTS }],
  unreadable: [new nest.HttpException({ message: { hidden: true } }, 400), MALFORMED],
  'status-code-of-elsewhere': [Object.assign(new Error('hidden'), { statusCode: 401 })],
  error: [new Error('hidden'), { code: 'internal-error' }],
  caused: [CAUSED],
  'unavailable-by': [new nest.HttpException('Later', 503, { cause: new RangeError('empty') })],
  nothing: [undefined],
};
const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };
const NO_TARIFF = { status: 422, code: 'no-tariff', detail: 'No tariff for <this> weight & carrier.' };

const thrownAt = (url = ''): unknown => {
  const [, name = ''] = /([\w-]+)(?:\?.*)?$/.exec(url) ?? [];
  return THROWN[name]?.[0];
};

@nest.Controller('team')
class TeamController {
  @nest.Get('route/:name')
  @ApiResponse({
    status: 422,
    content: { 'application/problem+json': { examples: { 'no-tariff': { value: NO_TARIFF } } } },
  })
  route(@nest.Param('name') name: string): never {
    throw thrownAt(name);
  }

  @nest.Get('guarded')
  @nest.UseGuards({ canActivate: () => false })
  guarded(): object {
    return {};
  }

  @nest.Post('orders')
  create(): object {
    return { created: true };
  }

  @nest.Get('*')
  behindMiddleware(): string {
    return 'passed';
  }
}

type Next = (error?: unknown) => void;
const originalUrl = (request: IncomingMessage): string => (request as Partial<FastifyRequest>).originalUrl ?? '';
const MIDDLEWARE: Readonly<Record<string, (request: IncomingMessage, response: unknown, next: Next) => unknown>> = {
  sync: (request) => {
    throw thrownAt(originalUrl(request));
  },
  async: async (request) => {
    await Promise.resolve();
    throw thrownAt(originalUrl(request));
  },
  next: (request, _, next) => {
    next(thrownAt(originalUrl(request)) ?? new Error('hidden'));
  },
  twice: (_, __, next) => {
    next();
    throw new Error('hidden');
  },
};

@nest.Module({ controllers: [TeamController] })
class TeamModule implements nest.NestModule {
  configure(consumer: nest.MiddlewareConsumer): void {
    for (const [name, middleware] of Object.entries(MIDDLEWARE)) {
      consumer.apply(middleware).forRoutes(`team/${name}/*path`);
    }
  }
}

describe('D15 D83 exceptions of a team', () => {
  const lines: string[] = [];
  let service: NestFastifyApplication;
  let plainNest: NestFastifyApplication;
  let thrownByGateway: unknown;

  beforeAll(async () => {
    const imports = [TeamModule];
    const list = (): never => {
      throw thrownByGateway;
    };
    const configure: TestingAppOptions['configure'] = (builder) =>
      builder.overrideProvider(ExternalShippingGateway).useValue({ list });
    const plain = await Test.createTestingModule({ imports }).setLogger(SILENT).compile();
    plainNest = plain.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    // Nest logs to the application that was created last.
    service = await createTestingApp({ imports, configure, log: (line) => lines.push(line) });
    await Promise.all([service.init(), plainNest.init()]);
    await plainNest.getHttpAdapter().getInstance().ready();
  });
  beforeEach(() => (lines.length = 0));
  afterAll(() => Promise.all([service.close(), plainNest.close()]));

  /** Expects a problem with these members, and returns it. */
  async function expectProblem(url: string, members: object): Promise<Record<string, unknown>> {
    const { headers, body, statusCode } = await service.inject({ url });
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(body).not.toMatch(/hidden|database/);
    const problem = JSON.parse(body) as Record<string, unknown>;
    expect(problem).toMatchObject({ status: statusCode, requestId: headers['x-request-id'], ...members });
    return problem;
  }

  const PLACES = ['route', 'sync', 'async', 'next'];
  const URLS = PLACES.flatMap((place) => Object.keys(THROWN).map((name) => `/team/${place}/${name}`));
  it.each([...URLS, '/team/guarded'])('keep status and message as in Nest: %s', async (url) => {
    const theirs = await plainNest.inject({ url });
    const { message } = theirs.json<{ message?: unknown }>();
    const isOwn = !/^(Internal server error|Service Unavailable( Exception)?|Unauthorized)$/.test(String(message));
    const detail = typeof message === 'string' && isOwn && { detail: message };
    const members = THROWN[url.split('/')[3] ?? '']?.[1];
    await expectProblem(url, { status: theirs.statusCode, ...detail, ...members });
  });

  it('D15 have no member that a problem has under another name', async () => {
    const problem = await expectProblem('/team/route/conflict', { title: 'Conflict' });
    for (const name of ['errors', 'error']) expect(problem).not.toHaveProperty(name);
  });

  it('D15 a path without a route is not shown', async () => {
    const { detail } = await expectProblem('/nowhere?carrier=hidden', { status: 404, code: 'route-not-found' });
    expect(detail).not.toContain('nowhere');
  });

  it('D15 documented ones have an anchor on the page of problems', async () => {
    const page = (await service.inject({ url: '/problems' })).body;
    expect(page).toContain('id="no-tariff"');
    expect(page).toContain('No tariff for &lt;this> weight &amp; carrier.');
    expect(page.split('id="shipping-not-found"')).toHaveLength(2);
  });

  const CAUSE = expect.stringMatching(/caused by: RangeError: empty/) as unknown;
  it.each<[string, object | undefined]>([
    ...['health', 'conflict'].map((name): [string, undefined] => [name, undefined]),
    ['server', { type: 'BadGatewayException', message: 'The carrier is closed' }],
    ['http-errors-5xx', { message: 'the database is down' }],
    ['unavailable-by', { type: 'HttpException', stack: CAUSE }],
    ['error', { type: 'Error', message: 'hidden' }],
    ['caused', { type: 'TypeError', message: 'hidden', stack: CAUSE }],
  ])('D81 D83 a 5xx but for a health check is logged whole, without its other members: %s', async (name, err) => {
    await expectProblem(`/team/route/${name}`, {});
    const unexpected = lines.filter((line) => line.includes('Unexpected error'));
    const ids = { requestId: expect.any(String), trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) };
    const line = { level: 50, context: 'ProblemFilter', err, ...ids };
    expect(unexpected.map((each) => JSON.parse(each) as object)).toMatchObject(err === undefined ? [] : [line]);
    expect(unexpected.join()).not.toContain('"header"');
  });

  it.each([
    ['json', 400, 'bad-request', 'The request is malformed.'],
    ['xml', 415, 'unsupported-media-type', 'The media type of the body is not supported.'],
  ])('D15 errors of Fastify are opaque: application/%s', async (type, status, code, detail) => {
    const headers = { 'content-type': `application/${type}` };
    const request = { method: 'POST', url: '/team/orders', headers, payload: '{hidden' } as const;
    const { statusCode, body } = await service.inject(request);
    expect([statusCode, JSON.parse(body)]).toEqual([status, expect.objectContaining({ code, detail })]);
  });

  it('a middleware that throws late ends no other request', async () => {
    const urls = ['/team/twice/a', '/team/x', '/team/twice/b', '/team/y'];
    const responses = await Promise.all(urls.map((url) => service.inject({ url })));
    expect([responses[1]?.body, responses[3]?.body]).toEqual(['passed', 'passed']);
    expect([200, 500]).toContain(responses[0]?.statusCode);
  });

  const REFUSALS = ['http-errors', 'object', 'conflict'];
  it.each(REFUSALS)('a refusal becomes no empty list: %s', async (name) => {
    thrownByGateway = THROWN[name]?.[0];
    const { statusCode, headers } = await service.inject({ url: '/api/Shipping/GetShippingDetails' });
    expect([Math.floor(statusCode / 100), headers['shipping-completeness']]).toEqual([4, undefined]);
  });
});
