import { Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { CallPolicy } from '../resilience/call-policy';
import { GatewayModule } from '../shipping/gateway/gateway.module';
import { HealthModule, Lifecycle } from './health.module';

const circuits = { paged: 'open' };

@Module({ providers: [{ provide: CallPolicy, useValue: { state: { circuits } } }], exports: [CallPolicy] })
class FailingGatewayModule {}

describe('D25 probes', () => {
  let app: NestFastifyApplication;
  let seesDetails: boolean;

  beforeEach(async () => {
    const parts = Test.createTestingModule({ imports: [HealthModule] });
    const module = await parts.overrideModule(GatewayModule).useModule(FailingGatewayModule).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
    fastify.decorateRequest('seesDetails', { getter: () => seesDetails });
    await app.init();
  });
  afterEach(() => app.close());

  async function probe(path: string): Promise<[status: number, body: unknown]> {
    const { statusCode, json } = await app.inject(`/health/${path}`);
    return [statusCode, json()];
  }

  it.each(['starting', 'ready', 'draining'] as const)('the process is alive while it is %s', async (state) => {
    app.get(Lifecycle).state = state;
    expect(await probe('live')).toEqual([200, { status: 'ok' }]);
  });

  it.each([
    ['starting', 503],
    ['ready', 200],
    ['draining', 503],
  ] as const)('one that is %s has %i, whatever the external system does', async (state, status) => {
    app.get(Lifecycle).state = state;
    seesDetails = false;
    expect(await probe('ready')).toEqual([status, { status: state }]);
    seesDetails = true;
    expect(await probe('ready')).toEqual([status, { status: state, externalSystem: { circuits } }]);
  });
});

it.each([
  ['starting', 'at first', []],
  ['ready', 'once it has started', ['started']],
  ['draining', 'when it is stopped', ['started', 'onModuleDestroy']],
  ['draining', 'when it is stopped while it starts', ['onModuleDestroy', 'started']],
] as const)('D27 a process is %s %s', (state, _, steps) => {
  const lifecycle = new Lifecycle();
  for (const step of steps) lifecycle[step]();
  expect(lifecycle.state).toBe(state);
});
