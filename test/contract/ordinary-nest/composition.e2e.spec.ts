import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import perfHooks from 'node:perf_hooks';
import { AppModule } from '../../../src/app.module';
import { configureApp, createAdapter } from '../../../src/app.setup';
import { ClientDisconnectedError } from '../../../src/resilience/upstream-failure';
import { ExternalShippingGateway } from '../../../src/shipping/gateway/external-shipping.gateway';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import { UpstreamSystem } from '../../../src/shipping/gateway/transport/undici-http.service';
import { jobContext } from '../../../src/shipping/model/query-context';
import { COMPLETE, type QueryResult } from '../../../src/shipping/model/query-result';
import type { ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { GetShippingDetailsQuery } from '../../../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { createTestingApp, ScriptedUpstream, status } from '../../../testing';
import { neverResponds } from '../../../testing/upstream/connection-faults';
import { useEnvironment } from '../../support/environment';
import { useApps, useClosing, useScriptedService } from '../../support/service';

const DETAILS = '/api/Shipping/GetShippingDetails';

@Injectable()
class TeamJob {
  constructor(readonly queryBus: QueryBus) {}
}

@Module({ imports: [CqrsModule], providers: [TeamJob] })
class TeamModule {}

describe('an application of a team', () => {
  useEnvironment({ SANDBOX_RECORDS: '3', LOG_LEVEL: 'silent' });
  const closedLater = useClosing();

  async function started(create: () => Promise<NestFastifyApplication>): Promise<NestFastifyApplication> {
    const app = closedLater(await configureApp(await create()));
    await app.listen(0, '127.0.0.1');
    return app;
  }
  const create = (module: Type): Promise<NestFastifyApplication> => NestFactory.create(module, createAdapter());
  const createForTest = async (...imports: Type[]): Promise<NestFastifyApplication> =>
    (await Test.createTestingModule({ imports }).compile()).createNestApplication(createAdapter());

  @Module({ imports: [AppModule, TeamModule] })
  class TeamApplication {}

  it.each([
    ['NestFactory and AppModule', () => create(AppModule)],
    ['a module that imports AppModule', () => create(TeamApplication)],
    ['a testing module', () => createForTest(AppModule)],
    ['a testing module with a team module', () => createForTest(AppModule, TeamModule)],
  ])('%s: ready once it listens', async (_, make) => {
    const url = await (await started(make)).getUrl();
    const [{ status, headers }, ready] = await Promise.all([fetch(url + DETAILS), fetch(`${url}/health/ready`)]);
    expect([status, headers.get('shipping-completeness'), ready.status]).toEqual([200, 'complete', 200]);
  });

  it('D83 two applications of one process have settings of their own, and leave nothing behind', async () => {
    process.env.SANDBOX_RECORDS = '1';
    const one = await started(() => create(AppModule));
    process.env.SANDBOX_RECORDS = '2';
    const two = await configureApp(await create(AppModule));
    await two.init();
    const countOf = async (each: NestFastifyApplication): Promise<number> =>
      (await each.inject({ url: DETAILS })).json<[]>().length;
    expect([await countOf(one), await countOf(two)]).toEqual([1, 2]);
    const { url: sandbox } = two.get(UpstreamSystem);
    await two.close();
    await expect(fetch(sandbox)).rejects.toThrow('fetch failed');
  });

  it('D83 Node is observed once for all applications', async () => {
    // What observes Node holds its application in memory, also when it is closed.
    await (await create(AppModule)).close();
    const monitor = jest.spyOn(perfHooks, 'monitorEventLoopDelay');
    await (await create(AppModule)).close();
    expect(monitor).not.toHaveBeenCalled();
    monitor.mockRestore();
  });

  it('a testing module without HTTP executes queries', async () => {
    const context = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(ExternalShippingGateway)
      .useValue({ list: () => ({ body: [], completeness: COMPLETE }) })
      .compile();
    await context.init();
    const query = new GetShippingDetailsQuery({}, jobContext());
    expect(await context.get(QueryBus).execute(query)).toMatchObject({ body: [] });
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

  it('D78 D85 ends where its AbortSignal is aborted', async () => {
    const { service, upstream } = scripted;
    upstream.respondWith(neverResponds());
    const controller = new AbortController();
    const query = new GetShippingDetailsQuery({ Limit: 5 }, jobContext({ signal: controller.signal }));
    const result = service.app.get(QueryBus).execute(query);
    await upstream.waitForCalls(1);
    controller.abort();
    await expect(result).rejects.toBeInstanceOf(ClientDisconnectedError);
    expect(await upstream.calls[0]?.outcome).toBe('aborted');
    // A signal that needs no controller is one as well.
    const late = new GetShippingDetailsQuery({}, jobContext({ signal: AbortSignal.abort() }));
    await expect(service.app.get(QueryBus).execute(late)).rejects.toBeInstanceOf(ClientDisconnectedError);
  });
});

describe('the testing application of a team', () => {
  const [start, closedLater] = [useApps(), useClosing()];

  it('D83 two at a time leave no variable behind', async () => {
    const [one, two] = [await start({ env: { TEAM_CARRIER: 'dhl' } }), await start({ env: { TEAM_CARRIER: 'ups' } })];
    await one.close();
    expect(process.env.TEAM_CARRIER).toBe('ups');
    await two.close();
    expect(process.env.TEAM_CARRIER).toBeUndefined();
  });

  const fail = (): never => {
    throw new Error('failed');
  };
  const FAILING = { module: class {}, providers: [{ provide: 'a', useFactory: fail }] };
  it.each([
    ['its port is taken', { listen: true }, 'EADDRINUSE'],
    ['a provider cannot be created', { imports: [FAILING] }, 'failed'],
  ])('D27 a start that fails leaves nothing behind: %s', async (_, options, message) => {
    const upstream = closedLater(await ScriptedUpstream.start());
    const env = { TEAM_CARRIER: 'dhl', PORT: new URL(upstream.url).port };
    const listeners = process.listenerCount('SIGTERM');
    await expect(createTestingApp({ ...options, env })).rejects.toThrow(message);
    expect([process.env.TEAM_CARRIER, process.listenerCount('SIGTERM')]).toEqual([undefined, listeners]);
  });
});

describe('D36 a protocol of a team', () => {
  const start = useApps();

  @Injectable()
  class TeamProtocol extends StandardProtocol {
    @Inject() private readonly externalSystem?: UpstreamSystem;
    override list(): Promise<QueryResult<ShippingLookupItem[]>> {
      if (this.externalSystem?.embedded !== false) throw new Error('Not injected');
      return Promise.resolve({ body: [], completeness: COMPLETE });
    }
  }

  it.each([
    { name: 'is bound by AppModule.withProtocol', sandbox: false, records: 0 },
    { name: 'is not that of the embedded sandbox', sandbox: true, records: 3 },
  ])('D36 $name', async ({ sandbox, records }) => {
    const app = await start({ protocol: TeamProtocol, sandbox, env: { SANDBOX_RECORDS: '3' } });
    const { headers, body } = await app.inject({ url: DETAILS });
    expect([headers['shipping-completeness'], JSON.parse(body)]).toEqual(['complete', expect.any(Array)]);
    expect(JSON.parse(body)).toHaveLength(records);
  });
});
