import {
  ExternalShippingGateway,
  jobContext,
  type ShippingDetail,
  type ShippingProtocol,
  StandardProtocol,
} from '../../../src';
import { inCamelCase, wireList, type WireObject, wirePage, wireRecord } from '../../../testing/upstream/records';
import { json } from '../../../testing/upstream/responses';
import { expectProblem, expectResponse } from '../../support/expected';
import { malformed, useCauses } from '../../support/observed-causes';
import { LISTS, type Operation, rowsFor, SINGLE, STRICT } from '../../support/operations';
import { type HttpResponse, ONCE, useScriptedService, useStart } from '../../support/service';
import { titled } from '../../support/titles';

const start = useStart(ONCE);
/** The cause of a record that is not the requested one. */
const another = (field: string): string => `another ${field} than the one requested`;
const defaultWithout = (field: string): string => `a default object: an Id of zeros and no ${field}`;
const completeness = ({ headers }: HttpResponse): unknown => headers['shipping-completeness'];

describe('D18 a lookup gets the record that it asked for', () => {
  const { scripted, observe } = useCauses();
  const lookup = (query: string): Operation => ({ ...SINGLE, request: `GetShippingSingle?${query}` });

  const matching: [query: string, sent: WireObject][] = [
    ['OrderId=ORD-7', { OrderId: 'ord 7' }],
    ['OrderId=ord7', { OrderId: 'ORD\u20117' }],
    ['OrderId=%C3%9C1', { OrderId: 'U\u03081' }],
    ['OrderId=004711', { OrderId: '\uff14\uff17\uff11\uff11' }],
    ['OrderId=0', { OrderId: '000' }],
    ['OrderId=1', { OrderId: `${'0'.repeat(255)}1` }],
    ['OrderId=ORD-7', { OrderId: null }],
    ['OrderId=ORD-7', { OrderId: '--' }],
    ['TrackingNumber=00340434161094022115', { TrackingNumber: '00 340434 161094\u00a0022115' }],
    ['TrackingNumber=jd-1', { TrackingNumber: 'JD1\u200b' }],
    ['Id=0&TrackingNumber=JD1', { Id: 0, TrackingNumber: null }],
    ['TrackingNumber=JD1', { Id: 0, TrackingNumber: 'JD1' }],
    ['Id=SHP-1', { Id: ' shp-1\t' }],
    ['Id=SHP-1&Status=Delivered', { Status: 'DLV' }],
    ['Id=SHP-1&Status=Unknown', { Status: 'created' }],
  ];
  const MATCHING = titled(matching, ([query, sent]) => `D18 ${query}: ${JSON.stringify(sent)}`);
  it.each(MATCHING)('%s', async (_, query, sent) => {
    scripted.upstream.respondWith(json(wireRecord(sent)));
    expectResponse(await scripted.service.request(`GetShippingSingle?${query}`), 'complete');
    scripted.upstream.respondWith(json(inCamelCase(wireRecord(sent))));
    expectResponse(await scripted.service.request(`GetShippingSingle?${query}`), 'complete');
  });

  const NO_UUID = '00000000-0000-0000-0000-000000000000';
  const others: [query: string, sent: WireObject, cause: string][] = [
    ['OrderId=ORD-7', { OrderId: 'ORD-77' }, another('OrderId')],
    ['OrderId=ORD-7', { OrderId: 'ORD-07' }, another('OrderId')],
    ['OrderId=0', { OrderId: 10 }, another('OrderId')],
    ['OrderId=1', { OrderId: `${'0'.repeat(256)}1` }, another('OrderId')],
    ['TrackingNumber=JD1', { TrackingNumber: 'JD2' }, another('TrackingNumber')],
    ['Id=SHP-1&OrderId=ORD-7', {}, another('OrderId')],
    ['OrderId=ORD-1001&Status=Delivered', {}, another('Status')],
    ['OrderId=ORD-7', { Id: 0, OrderId: null }, defaultWithout('OrderId')],
    ['TrackingNumber=JD1', { Id: NO_UUID, TrackingNumber: '' }, defaultWithout('TrackingNumber')],
    ['Id=SHP-2', {}, another('Id')],
    ['Id=SHP-1', { Id: 'SHP -1' }, another('Id')],
  ];
  const OTHERS = titled(others, ([query, sent]) => `D81 ${query}: ${JSON.stringify(sent)}`);
  it.each(OTHERS)('%s', async (_, query, sent, cause) => {
    scripted.upstream.respondWith(json(wireRecord(sent)));
    const { response, ...observed } = await observe(lookup(query));
    expectProblem(response, 500, 'external-system-failed');
    expect(response.json().reason).toBe('bad-reply');
    expect(observed).toMatchObject({ cause, spans: [cause] });
    expectProblem(await scripted.service.request(`GetShippingSingle?${query}`, STRICT), 502);
  });

  it.each(['OrderId', 'Id'])('D18 a %s that takes long to normalise is another one, unread', async (field) => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    // Its marks are sorted by every normal form, which takes quadratic time.
    scripted.upstream.respondWith(json(wireRecord({ [field]: `a${'\u0301\u0323'.repeat(60_000)}` })));
    const { cause } = await observe(lookup(`${field}=a`));
    expect(cause).toBe(another(field));
    expect(normalize.mock.contexts.filter((text) => String(text).length > 256)).toEqual([]);
  });
});

describe('D18 a lookup gets a record', () => {
  const { scripted, observe } = useCauses();
  const error = { code: -32601, message: 'x' };

  it.each<[string, WireObject]>([
    ['a task of .NET', { Result: null, Id: 1, Exception: null, Status: 5, IsCanceled: false, IsCompleted: true }],
    ['an error of JSON-RPC', { jsonrpc: '2.0', id: 1, error }],
    ['an error with a number', { Success: false, Id: 'SHP-1', Errors: ['x'] }],
  ])('%s is none', async (_, sent) => {
    for (const request of ['GetShippingSingle?OrderId=ORD-7', 'GetShippingInfoById/SHP-1']) {
      scripted.upstream.respondWith(json(sent));
      const { response, cause } = await observe({ ...SINGLE, request });
      expectProblem(response, 500, 'external-system-failed');
      expect(cause).toBe('no record: none of OrderId, ShippingAddress, TrackingNumber, TotalWeight, ShippingItems');
    }
  });

  const FIELDS = ['OrderId', 'ShippingAddress', 'TrackingNumber', 'TotalWeight', 'ShippingItems'];
  it.each(FIELDS)('one with %s is one, whatever else it says', async (field) => {
    const sent = { Id: 'SHP-1', Success: false, Errors: ['x'], [field]: null };
    for (const body of [sent, inCamelCase(sent)]) {
      scripted.upstream.respondWith(json(body));
      expectResponse(await scripted.service.request('GetShippingInfoById/SHP-1'), 'complete');
    }
  });
});

/** A response to both lists, with these records. */
const listsOf = (records: readonly unknown[]) => json({ ...wirePage(records), ...wireList(records) });
const idsOf = (response: HttpResponse): string => {
  const body = response.json() as { id: string }[] | { items: { id: string }[] };
  return ('items' in body ? body.items : body).map(({ id }) => id).join();
};

describe('D18 D19 a list has the records that its filters ask for', () => {
  const { scripted, observe } = useCauses();
  const A = wireRecord({ Id: 'A', OrderId: 'ORD-7', Status: 'delivered' });
  const B = wireRecord({ Id: 'B', OrderId: 'ord 7', Status: 'DLV' });
  const C = wireRecord({ Id: 'C', OrderId: null, Status: undefined });
  const D = wireRecord({ Id: 'D', OrderId: 'ORD-70', Status: 'in_transit' });
  const ALL = [A, B, C, D];
  const DROPPED = 'partial;reason=bad-reply;dropped=1';
  const E = wireRecord({ Id: 'E', OrderId: 'ORD-7', Status: 'cancelled' });

  it.each(
    rowsFor(LISTS, [
      ['', ALL, 'A,B,C,D', 'complete'],
      ['?OrderId=', ALL, 'A,B,C,D', 'complete'],
      ['?OrderId=ORD-7', [A, B, C], 'A,B,C', 'complete'],
      ['?OrderId=ORD-7', ALL, 'A,B,C', DROPPED],
      ['?OrderId=ORD-9', ALL, 'C', 'partial;reason=bad-reply;dropped=3'],
      ['?Status=Delivered', [A, B, C], 'A,B,C', 'complete'],
      ['?Status=delivered', ALL, 'A,B,C', DROPPED],
      ['?Status=Unknown', ALL, 'A,B,C,D', 'complete'],
      ['?OrderId=ORD-7&Status=Delivered', [...ALL, E], 'A,B,C', 'partial;reason=bad-reply;dropped=2'],
      ['?OrderId=ORD-7', [null, ...ALL], 'A,B,C', 'partial;reason=bad-reply;dropped=2'],
      ['?SearchTerm=nowhere&FromDate=2099-01-01', ALL, 'A,B,C,D', 'complete'],
    ]),
  )('%s%s', async (name, query, records, kept, expected, { body }) => {
    scripted.upstream.respondWith(listsOf(records));
    const response = await scripted.service.request(`${name}${query}`);
    expectResponse(response);
    expect([idsOf(response), completeness(response)]).toEqual([kept, expected]);
    if (body === 'page') expect(response.json().totalCount).toBe(records.length);
  });

  it.each(LISTS)('D81 $name says which filter is ignored', async (list) => {
    const operation = { ...list, request: `${list.name}?OrderId=ORD-7&Status=Delivered` };
    scripted.upstream.respondWith(listsOf([A, D, D, E, wireRecord({ ...A, Id: 'F', TotalWeight: 'x' })]));
    const cause = 'TotalWeight: text (1), records with another OrderId (2), records with another Status (1)';
    const { response, ...observed } = await observe(operation);
    expect(completeness(response)).toBe('partial;reason=bad-reply;dropped=3');
    const parts = ['TotalWeight: text', 'records with another OrderId (2 times)', 'records with another Status'];
    expect(observed).toEqual({ cause, spans: [cause], lines: parts.map((part) => malformed(operation, part)) });
  });

  it.each(LISTS)('D75 $name: what was dropped is not cached', async ({ name }) => {
    const { service, upstream } = await start({ CACHE_TTL_MS: '60000' });
    upstream.respondWith(listsOf(ALL));
    expect(idsOf(await service.request(`${name}?OrderId=ORD-7`))).toBe('A,B,C');
    upstream.respondWith(listsOf([A]));
    for (const from of ['fwd=miss', 'hit']) {
      const response = await service.request(`${name}?OrderId=ORD-7`);
      expect([idsOf(response), completeness(response)]).toEqual(['A', 'complete']);
      expect(response.headers['cache-status']).toContain(from);
    }
    expect(upstream.calls).toHaveLength(2);
  });
});

describe('D18 queries of teams', () => {
  const scripted = useScriptedService(ONCE);
  const operation = { name: 'team', path: () => '/team' };

  const byUser = [
    wireRecord({ Id: 'A', CreatedBy: 'ada', TotalWeight: 1 }),
    wireRecord({ Id: 'B', CreatedBy: 'grace', TotalWeight: 2, IsDeleted: true }),
  ];
  it.each<[parameters: object, fields: Record<string, keyof ShippingDetail> | undefined]>([
    [{ CreatedBy: 'ada' }, undefined],
    [{ CreatedBy: ['ada', 'alan'] }, undefined],
    [{ TotalWeight: 1 }, undefined],
    [{ IsActive: true }, undefined],
    [{ User: 'ada' }, { User: 'createdBy' }],
  ])('D83 an external system that ignores %j is not complete', async (parameters, fields) => {
    const { service, upstream } = scripted;
    const gateway = service.app.get(ExternalShippingGateway, { strict: false });
    upstream.respondWith(json(wirePage(byUser)));
    const { body, completeness: level } = await gateway.page(
      { operation: { ...operation, fields }, parameters },
      jobContext(),
    );
    expect(body.items.map(({ id }) => id)).toEqual(['A']);
    expect(level).toMatchObject({ level: 'partial', dropped: 1 });
  });
});

/** Finds shipments of several orders, which show the first one. */
class TeamProtocol extends StandardProtocol {
  override readonly notComparable: ShippingProtocol['notComparable'] = ['OrderId'];
}

describe('D18 a protocol says which parameters are not comparable', () => {
  const scripted = useScriptedService(ONCE, { protocol: TeamProtocol });

  it('and the others are compared', async () => {
    const { service, upstream } = scripted;
    upstream.respondWith(json(wireRecord()));
    expectResponse(await service.request('GetShippingSingle?OrderId=ORD-9'), 'complete');
    expectProblem(await service.request('GetShippingSingle?TrackingNumber=ORD-9'), 500);
    expectProblem(await service.request('GetShippingInfoById/SHP-2'), 500);
    upstream.respondWith(listsOf([wireRecord()]));
    for (const { name } of LISTS) {
      expectResponse(await service.request(`${name}?OrderId=ORD-9`), 'complete');
      expectResponse(await service.request(`${name}?Status=Created`), 'partial;reason=bad-reply');
    }
  });
});
