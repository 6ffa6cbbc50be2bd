import { StandardProtocol } from '../../src';
import { describeGatewayContract } from '../../testing/gateway-contract';
import { wirePage, wireRecord } from '../../testing/upstream/records';
import { json, status } from '../../testing/upstream/responses';
import { checkExternalSystem } from '../../tools/check-external/check';
import { expectBadInput } from '../support/expected';
import { STRICT, withQuery } from '../support/operations';
import { useScriptedService } from '../support/service';
import { CarrierModule, CarrierProtocol } from './carrier.protocol';
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
    await expect(checkExternalSystem({ env, protocol: files.protocol })).rejects.toThrow('the "account" property');
    const other = { ...files, module: 'test/check-external/counting.protocol.ts' };
    await expect(checkExternalSystem({ env, ...other })).rejects.toThrow('has no class with @Module()');
    const silent = { EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' };
    await expect(checkExternalSystem({ env: silent, ...files })).rejects.toThrow('does not respond');
  });
});

describeGatewayContract({ ...LOOKUP_CONTRACT, protocol: CarrierProtocol, imports: [CarrierModule] });

/** A carrier that cannot search, filter by dates or sort. */
class PlainProtocol extends StandardProtocol {
  override readonly parameters = ['Id', 'OrderId', 'Status'];
}

describe('D83 what a protocol does not read of the specification', () => {
  const scripted = useScriptedService({}, { protocol: PlainProtocol });
  const UNREAD = [
    ['GetShippingPagedList', 'SearchTerm', 'x'],
    ['GetShippingDetails', 'FromDate', '2026-01-01'],
    ['GetShippingSingle?Id=SHP-1', 'TrackingNumber', 'x'],
  ] as const;

  it.each(UNREAD)('%s: the filter %s is 400, and not in the document', async (request, name, value) => {
    const response = await scripted.service.request(withQuery(request, `${name}=${value}`));
    expectBadInput(response, name, /^cannot be applied/);
    expect(scripted.upstream.calls).toEqual([]);
    const { paths } = JSON.parse((await scripted.service.get('/openapi.json')).body) as {
      paths: Record<string, { get: { parameters: { name: string }[] } }>;
    };
    const names = paths[`/api/Shipping/${request.split('?', 1)[0]}`]?.get.parameters.map((each) => each.name);
    expect(names).toContain('OrderId');
    expect(names).not.toContain(name);
  });

  it('D8 a sorting is named as ignored, or 400 for strict clients', async () => {
    scripted.upstream.respondWith(json(wirePage()));
    const sorted = 'GetShippingPagedList?SortBy=Status&SortDirection=asc&OrderId=ORD-1001';
    const response = await scripted.service.request(sorted);
    expect([response.status, response.headers['shipping-ignored-parameters']]).toEqual([
      200,
      '"SortBy", "SortDirection"',
    ]);
    expectBadInput(await scripted.service.request(sorted, STRICT), 'SortBy', /^has no effect here$/);
    const { headers } = await scripted.service.request('GetShippingPagedList');
    expect(headers).not.toHaveProperty('shipping-ignored-parameters');
  });
});

/** A carrier that sorts by one key. */
class OneKeyProtocol extends StandardProtocol {
  override readonly sortKeys = ['CreatedDate'] as const;
}

describe('D8 a sort key that a protocol cannot honour', () => {
  const scripted = useScriptedService({}, { protocol: OneKeyProtocol });

  it.each([
    ['SortBy=status&SortDirection=asc', '"SortBy"', 'SortBy=CreatedDate&SortDirection=desc'],
    ['SortBy=createddate&SortDirection=asc', undefined, 'SortBy=CreatedDate&SortDirection=asc'],
  ])('%s: %s is ignored', async (query, ignored, sent) => {
    scripted.upstream.respondWith(json(wirePage()));
    const response = await scripted.service.request(`GetShippingPagedList?${query}`);
    expect([response.status, response.headers['shipping-ignored-parameters']]).toEqual([200, ignored]);
    expect(scripted.upstream.calls[0]?.target).toContain(sent);
    const strict = await scripted.service.request(`GetShippingPagedList?${query}`, STRICT);
    if (ignored === undefined) expect(strict.status).toBe(200);
    else expectBadInput(strict, 'SortBy', /^must be one of CreatedDate$/);
  });

  it('D72 the document names the keys that it can sort by', async () => {
    const { body } = await scripted.service.get('/openapi.json');
    expect(body).toContain('Sort key, ignoring case: CreatedDate. Any other');
  });
});
