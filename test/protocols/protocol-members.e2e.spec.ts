import { type DynamicModule, Inject, Injectable, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule, type ProtocolOptions } from '../../src/app.module';
import { readSettings } from '../../src/config/settings';
import { SendsParameters, type ShippingProtocol } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';
import { describeGatewayContract } from '../../testing/gateway-contract';
import { createTestingApp } from '../../testing/testing-app';
import { wireRecord } from '../../testing/upstream/records';
import { json, status } from '../../testing/upstream/responses';
import { checkExternalSystem } from '../../tools/check-external/check';
import { useScriptedService } from '../support/service';
import { ACCOUNT, CarrierModule, CarrierProtocol } from './carrier.protocol';
import { LOOKUP_CONTRACT } from './lookup-contract';

const BY_ID = 'GetShippingInfoById/SHP-1';
const LISTS = ['GetShippingDetails', 'GetShippingPagedList'];

describe('D85 a protocol with headers and operations of its own', () => {
  const scripted = useScriptedService(
    { EXTERNAL_SHIPPING_API_KEY: 'key', EXTERNAL_SHIPPING_API_KEY_HEADER: 'X-Key' },
    { protocol: CarrierProtocol, imports: [CarrierModule] },
  );

  it('sends its headers beside those of the service', async () => {
    scripted.upstream.respondWith(json(wireRecord({ Id: 'SHP-1' })));
    await scripted.service.request(BY_ID, { 'X-Request-Id': 'r-1' });
    const headers = scripted.upstream.calls[0]?.headers;
    const ids = { transid: 'r-1', 'x-request-id': 'r-1' };
    expect(headers).toMatchObject({ ...ids, 'x-api-version': '2026-01', 'x-key': 'key' });
    expect([headers?.accept, headers?.['user-agent']]).toEqual(['application/vnd.carrier+json', expect.any(String)]);
  });

  const PREFERENCES: readonly Record<string, string>[] = [{}, { Prefer: 'handling=strict' }];
  const ROWS = LISTS.flatMap((list) => PREFERENCES.map((headers) => [list, headers] as const));
  it.each(ROWS)('D20 %s with %j is 501, in words of the protocol', async (list, headers) => {
    const { status: code, body } = await scripted.service.request(list, headers);
    const problem = { code: 'operation-not-supported', detail: 'The carrier has no list of shipments.' };
    expect([code, JSON.parse(body)]).toEqual([501, expect.objectContaining(problem)]);
    expect(scripted.upstream.calls).toEqual([]);
    expect(scripted.service.messages('Unexpected')).toEqual([]);
  });

  it('D72 the document has the other operations only', async () => {
    const { paths } = JSON.parse((await scripted.service.get('/openapi.json')).body) as { paths: object };
    const operations = Object.keys(paths).filter((path) => path.startsWith('/api/Shipping/'));
    expect(operations.map((path) => path.split('/')[3])).toEqual(['GetShippingSingle', 'GetShippingInfoById']);
  });

  it('the check leaves them out, and finds providers by --module', async () => {
    const { upstream } = scripted;
    upstream.respondWith(json(wireRecord({ Id: 'SHP-1' })));
    const files = { protocol: 'test/protocols/carrier.protocol.ts', module: 'test/protocols/carrier.protocol.ts' };
    const env = { EXTERNAL_SHIPPING_BASE_URL: upstream.url };
    const { rules, unsupported } = await checkExternalSystem({ env, ...files, samples: { id: 'SHP-1' } });
    expect(rules.filter(({ rule }) => /^(paged|details|page|sort|limit|list)/.test(rule))).toEqual([]);
    expect(rules.find(({ rule }) => rule === 'by-id-body')?.result).toBe('pass');
    expect(unsupported).toEqual(['paged', 'details']);
    expect(new Set(upstream.calls.map(({ headers }) => headers['x-api-version']))).toEqual(new Set(['2026-01']));
    upstream.respondWith(status(401));
    await expect(checkExternalSystem({ env, protocol: files.protocol })).rejects.toThrow('{ imports: [');
    const other = { ...files, module: 'test/check-external/counting.protocol.ts' };
    await expect(checkExternalSystem({ env, ...other })).rejects.toThrow('has no class with @Module()');
    const silent = { EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' };
    await expect(checkExternalSystem({ env: silent, ...files })).rejects.toThrow('does not respond');
  });
});

describeGatewayContract({ ...LOOKUP_CONTRACT, protocol: CarrierProtocol, imports: [CarrierModule] });

describe('D86 headers that cannot be sent', () => {
  const rows: [string, unknown, string][] = [
    ['a name with a space', { 'X Version': '1' }, 'headers returned a field that cannot be sent: X Version'],
    ['a line feed', { 'X-Version': '1\n' }, 'headers returned a field that cannot be sent: X-Version'],
    ['no text', { 'X-Version': 1 }, 'headers returned a field that cannot be sent: X-Version'],
    ['one of the service', { TraceParent: '1' }, 'headers returned TraceParent, which the service sets itself'],
    ['an error', new Error('x'), 'headers threw Error'],
  ];
  it.each(rows)('%s is an error of the service that the log names', async (_, value, sentence) => {
    class Faulty extends StandardProtocol {
      override headers(): Record<string, string> {
        if (value instanceof Error) throw value;
        return value as Record<string, string>;
      }
    }
    const lines: string[] = [];
    const app = await createTestingApp({ protocol: Faulty, log: (line) => lines.push(line) });
    await app.init();
    const { headers } = await app.inject({ url: '/api/Shipping/GetShippingDetails' });
    await app.close();
    expect(headers['shipping-completeness']).toBe('unavailable;reason=internal');
    expect(lines.join('')).toContain(sentence);
    // The first frame is that of the class which threw.
    if (value instanceof Error)
      expect(lines.join('')).toMatch(/threw Error: x\\n +at [^\\]*protocol-members\.e2e\.spec/);
  });
});

/** A query handler of a team, which sends a parameter of its own. */
@Injectable()
@SendsParameters(['Service', 'Depot'])
class DepotHandler {}
class DepotModule {}

/** A query handler whose parameters every protocol reads. */
@Injectable()
@SendsParameters([])
class OrdinaryHandler {}

@Injectable()
class ConstructedProtocol extends CarrierProtocol {
  constructor(@Inject(ACCOUNT) account: object) {
    super(Object(account) as never);
  }
}
const depot = { module: DepotModule, providers: [OrdinaryHandler, DepotHandler] };

describe('D85 what does not fit is refused at start', () => {
  const start = (protocol: Type<ShippingProtocol>, options: ProtocolOptions, modules: DynamicModule[] = []) => {
    const settings = readSettings({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'silent' });
    const root = {
      module: class Root {},
      imports: [AppModule.withProtocol(protocol, { settings, ...options }), ...modules],
    };
    return NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  };

  it.each([
    [CarrierProtocol, 'the "account" property'],
    [ConstructedProtocol, 'the argument Symbol(account) at index [0]'],
  ])('%p without its provider says where to give the module', async (protocol, what) => {
    const message: string = await start(protocol, {}).then(String, (error: unknown) => (error as Error).message);
    expect(message).toContain(what);
    expect(message).toContain(`AppModule.withProtocol(${protocol.name}, { imports: [the modules that export it] })`);
    expect(message).not.toContain('AppModule module');
  });

  it('a query whose parameter the protocol ignores', async () => {
    const imports = [CarrierModule];
    const fault = 'DepotHandler sends Depot, which CarrierProtocol does not read: see its "parameters"';
    await expect(start(CarrierProtocol, { imports }, [depot])).rejects.toThrow(fault);
    const app = await start(StandardProtocol, {}, [depot]);
    await app.close();
  });
});
