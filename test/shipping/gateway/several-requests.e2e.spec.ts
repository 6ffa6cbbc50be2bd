import { wrongShape } from '../../../src/resilience/upstream-failure';
import type { Send, UpstreamRequest } from '../../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import type { QueryResult } from '../../../src/shipping/model/query-result';
import type { PagedShippingList } from '../../../src/shipping/model/response-bodies';
import { resetsMidBody } from '../../../testing/upstream/connection-faults';
import { wirePage, wireRecord } from '../../../testing/upstream/records';
import { json, status } from '../../../testing/upstream/responses';
import { expectResponse, expectUnavailable } from '../../support/expected';
import { DETAILS, PAGED } from '../../support/operations';
import { useScriptedService } from '../../support/service';

/** Fills a page with two requests, both started at once. */
class HalvesProtocol extends StandardProtocol {
  override async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const half = (PageNumber: number): Promise<QueryResult<PagedShippingList>> =>
      super.page({ ...request, parameters: { ...request.parameters, PageNumber, PageSize: 1 } }, send);
    const [first, second] = await Promise.all([half(1), half(2)]);
    return { ...first, body: { ...first.body, items: [...first.body.items, ...second.body.items] } };
  }
}

/** Starts two requests, and gives up where the first fails, without a look at the second. */
class HastyProtocol extends StandardProtocol {
  override async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const [first, second] = [send({ path: '/first' }), send({ path: '/second' })];
    if ((await first).status !== 200 || (await second).status !== 200) throw wrongShape('a part');
    return super.page(request, send);
  }
}

const REQUEST = PAGED.request;
const FIRST = json(wirePage([wireRecord({ Id: 'SHP-1' })], { TotalCount: 2 }));
const SECOND = json(wirePage([wireRecord({ Id: 'SHP-2' })], { TotalCount: 2 }));

const ids = (body: string): string[] => (JSON.parse(body) as { items: { id: string }[] }).items.map(({ id }) => id);

describe('D36 a protocol with several requests for one query', () => {
  const scripted = useScriptedService({}, { protocol: HalvesProtocol });

  it('sends one after the other, and combines them', async () => {
    scripted.upstream.enqueue(FIRST, SECOND);
    const { body } = await scripted.service.request(REQUEST);
    expect(ids(body)).toEqual(['SHP-1', 'SHP-2']);
    expect(scripted.upstream.calls.map(({ params }) => params.get('PageNumber'))).toEqual(['1', '2']);
    expect(scripted.upstream.maxInFlight).toBe(1);
  });

  it.each([
    ['upstream-error', status(400)],
    ['bad-reply', json({ Items: 'none' })],
  ])('is %s where a part fails, and sends no more', async (reason, fault) => {
    scripted.upstream.enqueue(FIRST, fault, fault);
    for (let failed = 0; failed < 2; failed += 1) {
      expectUnavailable(PAGED, await scripted.service.request(REQUEST), reason);
    }
    // A part that was sent too many would come before those of this request.
    scripted.upstream.enqueue(FIRST, SECOND);
    expect(ids((await scripted.service.request(REQUEST)).body)).toEqual(['SHP-1', 'SHP-2']);
    const sent = scripted.upstream.calls.map(({ params }) => params.get('PageNumber'));
    expect(sent).toEqual(['1', '2', '1', '1', '2']);
  });
});

describe('D36 a protocol that no longer awaits its second request', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' }, { protocol: HastyProtocol });

  it.each([status(400), resetsMidBody()])('does the service no harm: fault %#', async (fault) => {
    scripted.upstream.enqueue(fault);
    expectUnavailable(PAGED, await scripted.service.request(REQUEST), 'bad-reply');
    expectResponse(await scripted.service.request(DETAILS.request), 'complete');
    expect(scripted.upstream.calls.map(({ path }) => path)).toEqual(['/first', '/shippings/details']);
  });
});
