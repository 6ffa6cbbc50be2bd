import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Param,
  Post,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, LightMyRequestResponse } from 'fastify';
import { TeamModule } from '../../../examples/team/team.module';
import { AppModule, AuthenticationGuard, configureApp, createAdapter, ExternalShippingGateway } from '../../../src';
import { sendProblem } from '../../../src/http/problems/problem.filter';
import { createTestingApp, KeyServer } from '../../../testing';
import { useEnvironment } from '../../support/environment';
import { useApps, useClosing } from '../../support/service';
import { useStarted } from '../../support/started';

let events: string[] = [];
const record = (event: string): void => {
  events.push(event);
};

class TeamError extends Error {}

@Catch(TeamError)
class TeamFilter implements ExceptionFilter {
  catch(_: TeamError, host: ArgumentsHost): void {
    record('filter');
    const problem = { status: 409, code: 'team-conflict', detail: 'The team says no.' };
    sendProblem(host.switchToHttp().getResponse<FastifyReply>(), problem);
  }
}

const guard = {
  canActivate: (execution: ExecutionContext) => {
    const { user } = execution.switchToHttp().getRequest<FastifyRequest>();
    record(user === undefined ? 'guard without user' : 'guard with user');
    return true;
  },
};
const interceptor = {
  intercept: (_: ExecutionContext, next: CallHandler) => {
    record('interceptor');
    return next.handle();
  },
};
@Controller('recorded')
class RecordingController {
  @Get(':id')
  fail(@Param('id') id: string): never {
    record(`handler ${id}`);
    throw new TeamError();
  }
}

@Module({
  controllers: [RecordingController],
  providers: [
    { provide: APP_GUARD, useValue: guard },
    { provide: APP_INTERCEPTOR, useValue: interceptor },
    { provide: APP_FILTER, useClass: TeamFilter },
  ],
})
class RecordingModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const middleware = (_: unknown, __: unknown, next: () => void): void => {
      record('middleware');
      next();
    };
    consumer.apply(middleware).forRoutes('*path');
  }
}

describe('modules of a team', () => {
  const keyServer = useStarted(() => KeyServer.start());
  const app = useStarted(async () => {
    const gateway = {
      record: () => {
        record('gateway');
        throw new TeamError();
      },
    };
    const created = await createTestingApp({
      env: { ...keyServer().env, RATE_LIMIT_MAX: '5' },
      imports: [TeamModule, RecordingModule],
      configure: (builder) => builder.overrideProvider(ExternalShippingGateway).useValue(gateway),
    });
    return created.init();
  });
  beforeEach(() => {
    events = [];
  });

  const get = async (url: string, claims?: Record<string, unknown>): Promise<LightMyRequestResponse> => {
    const headers = claims && { authorization: `Bearer ${await keyServer().sign(claims)}` };
    return app().inject({ url, headers });
  };
  const codeOf = (response: LightMyRequestResponse): unknown => [
    response.statusCode,
    response.json<{ code?: string }>().code,
  ];

  it.each([
    ['/recorded/1', [409, 'team-conflict'], ['handler 1', 'filter']],
    ['/api/Shipping/GetShippingInfoById/SHP-1', [409, 'team-conflict'], ['gateway', 'filter']],
    ['/api/Shipping/GetShippingInfoById/-', [400, 'invalid-parameters'], []],
  ])('in order: %s', async (url, code, last) => {
    expect(codeOf(await get(url, { sub: url }))).toEqual(code);
    expect(events).toEqual(['middleware', 'guard with user', 'interceptor', ...last]);
  });

  it('D76 their routes are closed unless they are public', async () => {
    expect((await get('/team/status')).json()).toEqual({ status: 'ok' });
    for (const url of ['/team/me', '/TEAM/me/']) {
      const refused = await get(url);
      expect(codeOf(refused)).toEqual([401, 'authentication-required']);
      expect(refused.headers['www-authenticate']).toBe('Bearer realm="shipping-query-service"');
    }
    expect(codeOf(await get('/team/me', { scope: 'other' }))).toEqual([403, 'forbidden']);
    expect((await get('/team/me', { scope: 'team:read' })).json()).toEqual({ subject: 'somebody' });
  });

  it('their routes have headers, HEAD and the rate limit', async () => {
    const claims = { scope: 'team:read', sub: 'limited' };
    for (const left of [4, 3, 2, 1, 0]) {
      const { headers } = await get('/team/me', claims);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', ratelimit: expect.stringContaining(`r=${left}`) });
      expect(headers['x-request-id']).toMatch(/\S/);
    }
    expect(codeOf(await get('/team/me', claims))).toEqual([429, 'rate-limit-exceeded']);
    expect((await app().inject({ method: 'POST', url: '/team/me' })).statusCode).toBe(404);
    expect((await app().inject({ method: 'HEAD', url: '/team/status' })).headers['content-length']).toBe('15');
  });
});

describe('the start of an application', () => {
  const DETAILS = '/api/Shipping/GetShippingDetails';
  const PREFLIGHT = { origin: 'https://a.example', 'access-control-request-method': 'GET' };

  useEnvironment({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'silent' });
  const [startApp, closedLater] = [useApps(), useClosing()];

  const QUIET = { abortOnError: false, logger: false } as const;
  const create = async (options: { cors?: true } = {}, module: Type = AppModule): Promise<NestFastifyApplication> =>
    closedLater(await NestFactory.create<NestFastifyApplication>(module, createAdapter(), { ...QUIET, ...options }));

  /** The ways of Nest to switch CORS on. */
  const CORS: Readonly<Record<string, () => Promise<NestFastifyApplication>>> = {
    'enableCors before configureApp': async () => {
      const app = await create();
      app.enableCors();
      return configureApp(app);
    },
    'enableCors after configureApp': async () => {
      const app = await configureApp(await create());
      app.enableCors();
      return app;
    },
    '{ cors: true }': async () => configureApp(await create({ cors: true })),
  };

  @Controller('team')
  class OptionalController {
    @Get('opt/:x?')
    find(): string {
      return 'found';
    }

    @Post('opt')
    create(): string {
      return 'created';
    }
  }

  it('D25 a route that cannot be documented is refused at start, by its path', async () => {
    const imports = [{ module: class OptionalModule {}, controllers: [OptionalController] }];
    await expect(startApp({ imports })).rejects.toThrow('Unexpected ? at index 12: /team/opt/:x?');
    const app = await startApp({ imports, env: { DOCS: 'off' } });
    const bodyOf = async (method: 'GET' | 'POST'): Promise<string> =>
      (await app.inject({ method, url: '/team/opt' })).body;
    expect([await bodyOf('GET'), await bodyOf('POST')]).toEqual(['found', 'created']);
  });

  it.each(Object.entries(CORS))('D83 CORS by %s: preflights are 204', async (_, start) => {
    const started = await start();
    await started.init();
    const statusOf = async (method: 'POST' | 'GET', url: string): Promise<number> =>
      (await started.inject({ method, url })).statusCode;
    const preflight = await started.inject({ method: 'OPTIONS', url: DETAILS, headers: PREFLIGHT });
    expect([preflight.statusCode, preflight.headers['x-request-id']]).toEqual([204, expect.any(String)]);
    expect(await statusOf('POST', DETAILS)).toBe(405);
    expect([await statusOf('GET', '/nowhere'), await statusOf('POST', '/nowhere')]).toEqual([404, 404]);
    const { headers } = await started.inject({ url: DETAILS, headers: PREFLIGHT });
    expect(headers['access-control-allow-origin']).toBe('*');
  });

  describe('D83 CORS by the options of Nest, and by CORS_ORIGINS', () => {
    useEnvironment({ CORS_ORIGINS: 'https://a.example' });

    it.each(Object.entries(CORS))('%s: no start', async (_, start) => {
      const started = async (): Promise<unknown> => (await start()).init();
      await expect(started()).rejects.toThrow('CORS_ORIGINS');
    });
  });

  @Catch()
  class NamingFilter implements ExceptionFilter {
    constructor(private readonly name: string) {}

    catch: ExceptionFilter['catch'] = (_, host) => {
      host.switchToHttp().getResponse<FastifyReply>().send(this.name);
    };
  }

  it.each(['global', 'of a module'])('D83 the filter of a team that is asked first: %s', async (name) => {
    @Module({ imports: [AppModule], providers: [{ provide: APP_FILTER, useValue: new NamingFilter('of a module') }] })
    class TeamModule {}
    const app = await create({}, TeamModule);
    if (name === 'global') app.useGlobalFilters(new NamingFilter(name));
    await (await configureApp(app)).init();
    expect((await app.inject({ url: '/nowhere' })).body).toBe(name);
  });

  it('D83 a test may replace the authentication', async () => {
    const app = await startApp({
      env: { AUTH_API_KEYS_SHA256: 'ab'.repeat(32) },
      configure: (builder) => builder.overrideProvider(AuthenticationGuard).useValue({ canActivate: () => true }),
    });
    expect((await app.inject({ url: DETAILS })).statusCode).toBe(200);
  });
});
