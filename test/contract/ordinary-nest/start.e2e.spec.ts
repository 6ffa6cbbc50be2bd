import { Controller, Get, Module, type NestApplicationOptions, UseGuards } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuthenticationGuard } from '../../../src/access/authentication.guard';
import { AppModule } from '../../../src/app.module';
import { configureApp, createAdapter } from '../../../src/app.setup';
import { useApps } from '../../support/service';

const DETAILS = '/api/Shipping/GetShippingDetails';
const PREFLIGHT = { origin: 'https://a.example', 'access-control-request-method': 'GET' };

const environment: Record<string, string> = { EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'silent' };
let app: NestFastifyApplication | undefined;
const startApp = useApps();

beforeAll(() => Object.assign(process.env, environment));
afterEach(async () => {
  await app?.close();
  app = undefined;
  delete process.env.CORS_ORIGINS;
});
afterAll(() => {
  for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
});

const QUIET = { abortOnError: false, logger: false } as const;
const create = (options: NestApplicationOptions = {}): Promise<NestFastifyApplication> =>
  NestFactory.create<NestFastifyApplication>(AppModule, createAdapter(), { ...QUIET, ...options });

/** The ways of Nest to switch CORS on. */
const CORS: Readonly<Record<string, () => Promise<NestFastifyApplication>>> = {
  'enableCors before configureApp': async () => {
    app = await create();
    app.enableCors();
    return configureApp(app);
  },
  'enableCors after configureApp': async () => {
    app = await configureApp(await create());
    app.enableCors();
    return app;
  },
  '{ cors: true }': async () => configureApp((app = await create({ cors: true }))),
};

describe('D83 CORS by the options of Nest', () => {
  it.each(Object.entries(CORS))('%s: preflights are 204', async (_, start) => {
    const started = await start();
    await started.init();
    const statusOf = async (method: 'OPTIONS' | 'POST' | 'GET', url: string, headers = {}): Promise<number> =>
      (await started.inject({ method, url, headers })).statusCode;
    expect(await statusOf('OPTIONS', DETAILS, PREFLIGHT)).toBe(204);
    expect(await statusOf('POST', DETAILS)).toBe(405);
    expect([await statusOf('GET', '/nowhere'), await statusOf('POST', '/nowhere')]).toEqual([404, 404]);
    const { headers } = await started.inject({ url: DETAILS, headers: PREFLIGHT });
    expect(headers['access-control-allow-origin']).toBe('*');
  });

  it.each(Object.entries(CORS))('%s with CORS_ORIGINS: no start', async (_, start) => {
    process.env.CORS_ORIGINS = 'https://a.example';
    const started = async (): Promise<unknown> => (await start()).init();
    await expect(started()).rejects.toThrow('CORS_ORIGINS');
  });
});

describe('D83 an application with another server is refused', () => {
  it.each([
    ['a plain FastifyAdapter', () => new FastifyAdapter()],
    ['an Express adapter', () => new ExpressAdapter()],
  ])('%s: configureApp names createAdapter', async (_, adapter) => {
    const created = await NestFactory.create<NestFastifyApplication>(AppModule, adapter(), { logger: false });
    await expect(configureApp(created)).rejects.toThrow('NestFactory.create(AppModule, createAdapter())');
    await created.close();
  });
});

it('D83 supertest listens and closes for each request', async () => {
  const app = await startApp();
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  await fastify.ready();
  const server: Server = app.getHttpServer();
  for (let request = 0; request < 20; request += 1) {
    const { port } = server.listen(0).address() as AddressInfo;
    const options = { host: '127.0.0.1', port, path: '/health/live', agent: false };
    const [response] = (await once(get(options), 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    await once(response.resume(), 'end');
    await new Promise((resolve) => server.close(resolve));
  }
});

describe('D83 overrideGuard', () => {
  const replacement = { canActivate: () => true };

  class RefusingGuard {
    canActivate(): boolean {
      return false;
    }
  }

  @Controller()
  class GuardedController {
    @Get('guarded')
    @UseGuards(RefusingGuard)
    guarded(): string {
      return 'let in';
    }
  }

  @Module({ controllers: [GuardedController], providers: [{ provide: APP_GUARD, useClass: RefusingGuard }] })
  class GlobalModule {}

  it('replaces no global guard, as overrideProvider does', async () => {
    const module = Test.createTestingModule({ imports: [GlobalModule] });
    const plain = (await module.overrideGuard(RefusingGuard).useValue(replacement).compile()).createNestApplication();
    await plain.listen(0, '127.0.0.1');
    expect((await fetch(`${await plain.getUrl()}/guarded`)).status).toBe(403);
    await plain.close();
    const env = { AUTH_API_KEYS_SHA256: 'ab'.repeat(32) };
    for (const method of ['overrideGuard', 'overrideProvider'] as const) {
      const configure = (builder: TestingModuleBuilder): unknown =>
        builder[method](AuthenticationGuard).useValue(replacement);
      const app = await startApp({ env, configure });
      const { statusCode } = await app.inject({ url: DETAILS });
      expect([method, statusCode]).toEqual([method, method === 'overrideGuard' ? 401 : 200]);
    }
  });

  it('replaces a guard of @UseGuards', async () => {
    const app = await startApp({
      imports: [{ module: class TeamModule {}, controllers: [GuardedController] }],
      configure: (builder) => builder.overrideGuard(RefusingGuard).useValue(replacement),
    });
    expect((await app.inject({ url: '/guarded' })).body).toBe('let in');
  });
});
