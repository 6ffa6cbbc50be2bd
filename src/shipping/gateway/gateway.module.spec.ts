import { Global, Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { callContext } from '../../../test/support/units';
import { neverResponds } from '../../../test/support/upstream/connection-faults';
import { wireRecord } from '../../../test/support/upstream/records';
import { json, redirect } from '../../../test/support/upstream/responses';
import { ScriptedUpstream } from '../../../test/support/upstream/scripted-upstream';
import { EXTERNAL_SYSTEM } from '../../config/external-system.settings';
import { readSettings, SETTINGS } from '../../config/settings';
import { MetricsModule } from '../../observability/metrics/metrics.module';
import { CallPolicy } from '../../resilience/call-policy';
import { infoByIdRequest } from '../queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { GatewayModule } from './gateway.module';
import { ShippingProtocol } from './protocol/shipping-protocol';
import { StandardProtocol } from './protocol/standard-protocol';
import { HttpServiceCalls } from './transport/http-service-calls';

@Global()
@Module({})
class SurroundingsModule {
  static of(env: NodeJS.ProcessEnv): DynamicModule {
    const settings = readSettings(env);
    const externalSystem = { url: settings.external.baseUrl, embedded: false, stop: () => Promise.resolve() };
    return {
      module: SurroundingsModule,
      imports: [MetricsModule, GatewayModule],
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: EXTERNAL_SYSTEM, useValue: externalSystem },
        { provide: ShippingProtocol, useClass: StandardProtocol },
      ],
      exports: [SETTINGS, EXTERNAL_SYSTEM, ShippingProtocol],
    };
  }
}

describe('GatewayModule', () => {
  let upstream: ScriptedUpstream;
  let context: INestApplicationContext | undefined;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });
  afterAll(() => upstream.close());
  afterEach(async () => {
    await context?.close();
    await upstream.until(() => upstream.openSockets() === 0);
    upstream.reset();
  });

  async function start(env: NodeJS.ProcessEnv = {}, basePath = ''): Promise<ExternalShippingGateway> {
    const surroundings = SurroundingsModule.of({ EXTERNAL_SHIPPING_BASE_URL: upstream.url + basePath, ...env });
    context = await NestFactory.createApplicationContext(surroundings, { logger: false });
    return context.get(ExternalShippingGateway, { strict: false });
  }

  const find = (gateway: ExternalShippingGateway, id: string): Promise<unknown> =>
    gateway.record(infoByIdRequest({ id }), callContext());
  const HEADERS = { accept: 'application/json', 'x-request-id': 'REQ-1', traceparent: callContext().traceparent };

  it.each([
    ['no token', {}, {}],
    ['a token', { EXTERNAL_SHIPPING_TOKEN: 't0ken' }, { authorization: 'Bearer t0ken' }],
  ])('D16 sends the agreed headers with %s', async (_, env, more) => {
    upstream.respondWith(json(wireRecord()));
    await find(await start(env), 'SHP-1');
    expect(upstream.calls[0]?.headers).toMatchObject({ ...HEADERS, ...more });
    const others = Object.keys(upstream.calls[0]?.headers ?? {}).filter((name) => !(name in { ...HEADERS, ...more }));
    expect(others.filter((name) => !['host', 'connection', 'user-agent', 'accept-encoding'].includes(name))).toEqual(
      [],
    );
  });

  it.each(['', '/', '/base', '/base/', '/base/more/'])('D16 calls below the base path %j', async (basePath) => {
    upstream.respondWith(json(wireRecord()));
    await find(await start({}, basePath), 'SHP-1');
    expect(upstream.calls[0]?.target).toBe(`${basePath.replace(/\/$/, '')}/shippings/by-id/SHP-1`);
  });

  it('goes past HttpService while that is untouched', async () => {
    await start();
    expect(context?.get(HttpServiceCalls, { strict: false }).untouched).toBe(true);
  });

  it('D18 follows no redirect', async () => {
    upstream.respondWith(redirect(302, '/elsewhere'));
    await expect(find(await start(), 'SHP-1')).rejects.toMatchObject({
      reason: 'bad-reply',
    });
    expect(upstream.calls).toHaveLength(1);
  });

  it('D26 takes limits from the settings, and cuts what is open on shutdown', async () => {
    upstream.respondWith(neverResponds());
    const gateway = await start({
      EXTERNAL_SHIPPING_MAX_CONCURRENT: '1',
      EXTERNAL_SHIPPING_MAX_QUEUE: '0',
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
    });
    const first = find(gateway, 'A');
    const refused = expect(first).rejects.toMatchObject({ reason: 'upstream-unreachable' });
    await upstream.waitForCalls(1);
    await expect(find(gateway, 'B')).rejects.toMatchObject({ reason: 'saturated' });
    expect(context?.get(CallPolicy, { strict: false }).state).toEqual({
      circuits: { 'by-id': 'closed' },
      inFlight: 1,
      waiting: 0,
    });
    await context?.close();
    context = undefined;
    await refused;
  });

  it('D26 takes the size limit from the settings', async () => {
    upstream.respondWith(json(wireRecord()));
    const gateway = await start({ EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '100' });
    await expect(find(gateway, 'A')).rejects.toMatchObject({ reason: 'bad-reply' });
  });
});
