import { Controller, Get, Global, Inject, Injectable, Module, Param, ParseIntPipe, UseGuards, UseInterceptors, type CallHandler, type DynamicModule, type Type } from '@nestjs/common'; // prettier-ignore
import { ConfigModule, ConfigService, registerAs, type ConfigType } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import { map, type Observable } from 'rxjs';
import { AppModule } from '../../../src/app.module';
import { createApp } from '../../../src/app.setup';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../../../src/config/external-system';
import { readSettings } from '../../../src/config/settings';
import { ExternalShippingGateway } from '../../../src/shipping/gateway/external-shipping.gateway';
import { ShippingProtocol } from '../../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import { COMPLETE, type QueryResult } from '../../../src/shipping/model/query-result';
import type { ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { GetShippingDetailsQuery } from '../../../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { fakeGateway } from '../../support/handlers';
import { createTestingApp, type TestingAppOptions } from '../../support/testing-app';
import { callContext } from '../../support/units';

const DETAILS = '/api/Shipping/GetShippingDetails';
const settings = readSettings({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' });
const silent = pino({ level: 'silent' });

describe('AppModule without createApp', () => {
  const module = AppModule.register(settings);
  const imports = [module];
  it.each([
    ['NestFactory and Express', () => NestFactory.create(module, new ExpressAdapter(), { logger: false })],
    ['NestFactory and Fastify', () => NestFactory.create(module, new FastifyAdapter(), { logger: false })],
    ['NestFactory without register', () => NestFactory.create(AppModule, new FastifyAdapter(), { logger: false })],
    ['a testing module', async () => (await Test.createTestingModule({ imports }).compile()).createNestApplication(new FastifyAdapter(), { logger: false })], // prettier-ignore
  ])('%s: the start fails, and says what to do', async (_, create) => {
    const created = await create();
    await expect(created.init()).rejects.toThrow('createApp() of src/app.setup.ts');
    await created.close();
  });

  it('a testing module without HTTP executes queries', async () => {
    const context = await Test.createTestingModule({ imports })
      .overrideProvider(ExternalShippingGateway)
      .useValue(fakeGateway(() => ({ body: [], completeness: COMPLETE })).gateway)
      .compile();
    await context.init();
    const result: QueryResult<unknown> = await context.get(QueryBus).execute(new GetShippingDetailsQuery({}, callContext())); // prettier-ignore
    expect(result.body).toEqual([]);
    await context.close();
  });
});

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

describe('the application of a team', () => {
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

    it.each([
      ['class, created by injection', TeamProtocol],
      ['value', new TeamProtocol(settings)],
    ])('createApp binds a %s', async (_, protocol) => {
      app = await createApp(settings, silent, { protocol });
      await app.init();
      expect((await app.inject({ url: DETAILS })).headers['shipping-completeness']).toBe('complete');
    });

    it('the embedded sandbox has the standard one', async () => {
      await start({ protocol: TeamProtocol, sandbox: true, env: { SANDBOX_RECORDS: '1' } });
      expect(app.get(ShippingProtocol)).not.toBeInstanceOf(TeamProtocol);
      const [item] = (await app.inject({ url: DETAILS })).json<object[]>();
      expect(item).toHaveProperty('id');
    });
  });

  describe('ConfigModule of @nestjs/config', () => {
    const teamConfig = registerAs('team', () => ({ carrier: process.env.TEAM_CARRIER }));

    @Controller('team')
    class ConfiguredController {
      constructor(
        private readonly config: ConfigService,
        @Inject(teamConfig.KEY) private readonly team: ConfigType<typeof teamConfig>,
      ) {}

      @Get('config')
      values(): unknown {
        return [this.config.get('TEAM_CARRIER'), this.config.get('team.carrier'), this.team.carrier, this.config.get('LOG_LEVEL')]; // prettier-ignore
      }
    }

    @Global()
    @Module({
      imports: [ConfigModule.forRoot({ load: [teamConfig] })],
      controllers: [ConfiguredController],
    })
    class ConfiguredModule {}

    it('reads the environment of the service, until the application is closed', async () => {
      await start({ imports: [ConfiguredModule], env: { TEAM_CARRIER: 'dhl', LOG_LEVEL: 'warn' } });
      expect((await app.inject({ url: '/team/config' })).json()).toEqual(['dhl', 'dhl', 'dhl', 'warn']);
      await app.close();
      expect(process.env.TEAM_CARRIER).toBeUndefined();
    });

    it('leaves the environment as it was where the creation fails', async () => {
      const env = { TEAM_CARRIER: 'dhl' };
      const invalid = registerAs('team', () => {
        throw new Error('no such carrier');
      });
      const imports = [ConfigModule.forRoot({ load: [invalid] })];
      await expect(createTestingApp({ imports, env })).rejects.toThrow('no such carrier');
      expect(process.env.TEAM_CARRIER).toBeUndefined();
    });
  });
});
