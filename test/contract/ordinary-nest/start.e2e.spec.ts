import { Catch, Controller, type ExceptionFilter, Get, Module, Post, type Type } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { AuthenticationGuard } from '../../../src/access/authentication.guard';
import { AppModule } from '../../../src/app.module';
import { configureApp, createAdapter } from '../../../src/app.setup';
import { useEnvironment } from '../../support/environment';
import { useApps, useClosing } from '../../support/service';

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
