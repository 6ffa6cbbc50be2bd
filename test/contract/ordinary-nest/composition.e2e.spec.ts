import { Controller, Get, Inject, Injectable, Module, Param, ParseIntPipe, UseGuards, UseInterceptors, type CallHandler, type DynamicModule, type Type } from '@nestjs/common'; // prettier-ignore
import { NestFactory } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { map, type Observable } from 'rxjs';
import { AppModule } from '../../../src/app.module';
import { configureApp, createAdapter } from '../../../src/app.setup';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../../../src/shipping/gateway/external-system';
import { Lifecycle } from '../../../src/health/lifecycle';
import { ExternalShippingGateway } from '../../../src/shipping/gateway/external-shipping.gateway';
import { ShippingProtocol } from '../../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import { COMPLETE, type QueryResult } from '../../../src/shipping/model/query-result';
import type { ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { GetShippingDetailsQuery } from '../../../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { jobContext } from '../../../src/shipping/model/query-context';
import { useScriptedService } from '../../support/service';
import { status } from '../../support/upstream/responses';
import { fakeGateway } from '../../support/handlers';
import { createTestingApp, type TestingAppOptions } from '../../support/testing-app';
import { callContext } from '../../support/units';

const DETAILS = '/api/Shipping/GetShippingDetails';

@Injectable()
class Closed {
  canActivate = (): boolean => false;
}

@Injectable()
class Doubled {
  transform = (value: string): number => 2 * Number(value);
}

@Injectable()
class Wrapped {
  intercept = (_: unknown, next: CallHandler): Observable<unknown> => next.handle().pipe(map((body) => ({ body })));
}

@Controller('team')
class TeamController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('numbers/:n')
  number(@Param('n', ParseIntPipe) n: number): object {
    return { n };
  }

  @UseGuards(Closed)
  @UseInterceptors(Wrapped)
  @Get('closed/:n')
  closed(@Param('n', Doubled) n: number): object {
    return { n };
  }

  @Get('details')
  details(): Promise<QueryResult<ShippingLookupItem[]>> {
    return this.queryBus.execute(new GetShippingDetailsQuery({}, callContext()));
  }
}

const teamModule = (...imports: (Type | DynamicModule)[]): Type => {
  @Module({ imports, controllers: [TeamController] })
  class TeamModule {}
  return TeamModule;
};

describe('an application of a team', () => {
  const names = ['EXTERNAL_SHIPPING_BASE_URL', 'SANDBOX_RECORDS', 'LOG_LEVEL'] as const;
  let app: NestFastifyApplication | undefined;
  beforeEach(() => {
    Object.assign(process.env, { SANDBOX_RECORDS: '3', LOG_LEVEL: 'silent' });
  });
  afterEach(async () => {
    await app?.close();
    for (const name of names) Reflect.deleteProperty(process.env, name);
  });

  async function started(create: () => Promise<NestFastifyApplication>): Promise<NestFastifyApplication> {
    app = await create();
    await configureApp(app);
    await app.listen(0, '127.0.0.1');
    return app;
  }
  const create = (module: Type): Promise<NestFastifyApplication> => NestFactory.create(module, createAdapter());
  const createForTest = async (...imports: (Type | DynamicModule)[]): Promise<NestFastifyApplication> =>
    (await Test.createTestingModule({ imports }).compile()).createNestApplication(createAdapter());

  @Module({ imports: [AppModule, teamModule(CqrsModule)] })
  class TeamApplication {}

  it.each([
    ['NestFactory and AppModule', () => create(AppModule)],
    ['NestFactory and a module that imports AppModule', () => create(TeamApplication)],
    ['a testing module', () => createForTest(AppModule)],
    ['a testing module with a module of a team', () => createForTest(AppModule, teamModule(CqrsModule))],
  ])('%s: starts on the sandbox, and is ready once it listens', async (_, make) => {
    const url = await (await started(make)).getUrl();
    const [details, ready] = await Promise.all([fetch(url + DETAILS), fetch(`${url}/health/ready`)]);
    expect([details.status, details.headers.get('shipping-completeness'), ready.status]).toEqual([
      200,
      'complete',
      200,
    ]);
  });

  it('D25 is not ready before it listens, and while it closes', async () => {
    app = await configureApp(await create(AppModule));
    await app.init();
    const status = async (): Promise<unknown> => (await app?.inject({ url: '/health/ready' }))?.json();
    expect(await status()).toMatchObject({ status: 'starting' });
    app.get(Lifecycle).onModuleDestroy();
    expect(await status()).toMatchObject({ status: 'draining' });
  });

  it('two applications of one process have settings of their own', async () => {
    process.env.SANDBOX_RECORDS = '1';
    const one = await started(() => create(AppModule));
    process.env.SANDBOX_RECORDS = '2';
    const two = await configureApp(await create(AppModule));
    await two.init();
    const counts = await Promise.all([one, two].map(async (each) => (await each.inject({ url: DETAILS })).json<[]>().length));
    await two.close();
    expect(counts).toEqual([1, 2]);
  }); // prettier-ignore

  it('the start fails without the adapter and the setup of the service, and says what to do', async () => {
    const created = await NestFactory.create(AppModule, new FastifyAdapter());
    await expect(created.init()).rejects.toThrow('configureApp(app)');
    await created.close();
  });

  it('a testing module without HTTP executes queries', async () => {
    const context = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(ExternalShippingGateway)
      .useValue(fakeGateway(() => ({ body: [], completeness: COMPLETE })).gateway)
      .compile();
    await context.init();
    const result: QueryResult<unknown> = await context.get(QueryBus).execute(new GetShippingDetailsQuery({}, callContext())); // prettier-ignore
    expect(result.body).toEqual([]);
    await context.close();
  });
});

describe('a query of a scheduled job', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  it('has a context of its own', async () => {
    const { service, upstream } = scripted;
    const send = (given?: Parameters<typeof jobContext>[0]): Promise<QueryResult<unknown>> =>
      service.app.get(QueryBus).execute(new GetShippingDetailsQuery({ Limit: 5 }, jobContext(given)));
    expect(await send({ forwarded: { 'X-Tenant-Id': 'north' } })).toMatchObject({ completeness: COMPLETE });
    expect(upstream.calls[0]?.headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-tenant-id': 'north',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/),
    });
    upstream.respondWith(status(500));
    expect(await send()).toMatchObject({ body: [], completeness: { level: 'unavailable' } });
    await expect(send({ strict: true })).rejects.toMatchObject({ reason: 'upstream-error' });
  });
});

describe('the testing application of a team', () => {
  let app: NestFastifyApplication;
  // The creation may have failed.
  afterEach(() => (app as NestFastifyApplication | undefined)?.close());

  async function start(options: TestingAppOptions = {}): Promise<NestFastifyApplication> {
    app = await createTestingApp(options);
    return app.init();
  }

  describe('createTestingApp', () => {
    it('neither listens nor starts a sandbox', async () => {
      await start();
      expect(app.getHttpServer().listening).toBe(false);
      expect(app.get<ExternalSystem>(EXTERNAL_SYSTEM).embedded).toBe(false);
      const { statusCode, headers, body } = await app.inject({ url: DETAILS });
      expect([statusCode, body]).toEqual([200, '[]']);
      expect(headers['shipping-completeness']).toBe('unavailable;reason=upstream-unreachable');
    });

    it('listens where it is asked to', async () => {
      app = await createTestingApp({ listen: true });
      expect((await fetch(`${await app.getUrl()}/health/live`)).status).toBe(200);
    });

    it('takes global pipes and interceptors before it is initialised, as in Nest', async () => {
      app = await createTestingApp({ imports: [teamModule(CqrsModule)] });
      app.useGlobalPipes({ transform: (value: string) => `${value}1` });
      app.useGlobalInterceptors({ intercept: (_, next) => next.handle().pipe(map((body) => ({ body }))) });
      await app.init();
      expect((await app.inject({ url: '/team/numbers/3' })).json()).toEqual({ body: { n: 31 } });
    });

    it.each([
      ['useValue', (gateway: object) => ({ provide: ExternalShippingGateway, useValue: gateway })],
      ['useFactory', (gateway: object) => ({ provide: ExternalShippingGateway, inject: [EXTERNAL_SYSTEM], useFactory: () => gateway })], // prettier-ignore
      ['useClass', (gateway: object) => ({ provide: ExternalShippingGateway, useClass: class { list = Reflect.get(gateway, 'list') as () => unknown } })], // prettier-ignore
    ])('replaces a provider by %s', async (_, override) => {
      const { gateway, calls } = fakeGateway(() => ({ body: [], completeness: COMPLETE }));
      await start({ overrides: [override(gateway)] });
      expect((await app.inject({ url: DETAILS })).headers['shipping-completeness']).toBe('complete');
      expect(calls).toHaveLength(1);
    });

    it('replaces a guard, a pipe and an interceptor of a route by the builder of Nest', async () => {
      await start({
        imports: [teamModule(CqrsModule)],
        configure: (builder) =>
          builder
            .overrideGuard(Closed)
            .useValue({ canActivate: () => true })
            .overridePipe(Doubled)
            .useValue({ transform: () => 3 })
            .overrideInterceptor(Wrapped)
            .useValue({ intercept: (_: unknown, next: CallHandler) => next.handle() }),
      });
      const { statusCode, body } = await app.inject({ url: '/team/closed/1' });
      expect([statusCode, body]).toEqual([200, '{"n":3}']);
    });
  });

  describe('the protocol', () => {
    const ITEMS = { body: [], completeness: COMPLETE } satisfies QueryResult<ShippingLookupItem[]>;
    @Injectable()
    class TeamProtocol extends StandardProtocol {
      @Inject(EXTERNAL_SYSTEM) private readonly externalSystem?: ExternalSystem;
      override list(): Promise<QueryResult<ShippingLookupItem[]>> {
        return this.externalSystem?.embedded === true ? Promise.reject(new Error()) : Promise.resolve(ITEMS);
      }
    }

    it('AppModule.withProtocol binds it', async () => {
      await start({ protocol: TeamProtocol });
      expect((await app.inject({ url: DETAILS })).headers['shipping-completeness']).toBe('complete');
    });

    it('the embedded sandbox has the standard one', async () => {
      await start({ protocol: TeamProtocol, sandbox: true, env: { SANDBOX_RECORDS: '1' } });
      expect(app.get(ShippingProtocol)).not.toBeInstanceOf(TeamProtocol);
      const [item] = (await app.inject({ url: DETAILS })).json<object[]>();
      expect(item).toHaveProperty('id');
    });
  });

  describe('the environment of a test', () => {
    @Module({ providers: [{ provide: 'carrier', useFactory: () => process.env.TEAM_CARRIER }] })
    class ConfiguredModule {}

    it('is that of the modules, too, until the application is closed', async () => {
      await start({ imports: [ConfiguredModule], env: { TEAM_CARRIER: 'dhl' } });
      expect(app.get('carrier')).toBe('dhl');
      await app.close();
      expect(process.env.TEAM_CARRIER).toBeUndefined();
    });

    it('is as it was where the creation fails', async () => {
      @Module({ providers: [{ provide: 'fails', useFactory: () => Promise.reject(new Error('no such carrier')) }] })
      class FailingModule {}
      const env = { TEAM_CARRIER: 'dhl' };
      await expect(createTestingApp({ imports: [FailingModule], env })).rejects.toThrow('no such carrier');
      expect(process.env.TEAM_CARRIER).toBeUndefined();
    });
  });
});
