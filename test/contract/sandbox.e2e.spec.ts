import { mappedRecord } from '../../testing/upstream/records';
import { expectDegraded } from '../faults/support/fault-responses';
import { sampleRecord } from '../sandbox/record-samples';
import { expectProblem, expectResponse } from '../support/expected';
import { holdLongWaits } from '../support/held-waits';
import { FILTERS } from '../support/list-filters';
import { DETAILS, type Operation, OPERATIONS, STRICT } from '../support/operations';
import { useSandbox } from '../support/sandboxed-service';
import { ONCE, type RunningService } from '../support/service';

const VARIANTS = ['extended', 'basic'] as const;

/** The identifiers that a list returns, in its order. */
async function ids(service: RunningService, { name, body }: Operation, query: string): Promise<string> {
  const response = await service.request(`${name}?${query}`);
  expect([response.status, response.headers['shipping-completeness']]).toEqual([200, 'complete']);
  const records = (body === 'page' ? response.json().items : response.json()) as { id: string }[];
  return records.map(({ id }) => id).join('');
}

describe.each(VARIANTS)('D29 and spec, limits: the unpaged list of the %s variant', (variant) => {
  const records = Array.from({ length: 101 }, (_, index) => sampleRecord({ Id: `R${index}` }));
  const service = useSandbox(records, variant, ONCE);

  it('D29 at most 100 without Limit, extended only', async () => {
    expect((await service().request('GetShippingDetails')).json()).toHaveLength(variant === 'extended' ? 100 : 101);
  });
});

describe('D30 failures on demand', () => {
  /** The request of an operation with a failure switch. */
  const simulating = ({ name, request, single }: Operation, value: string): string[] => {
    // The identifier stands in the path.
    if (request.includes('/')) return [`${name}/${value}`];
    const switched = single ? ['Id', 'OrderId', 'TrackingNumber'] : ['SearchTerm', 'OrderId'];
    return switched.map((parameter) => (single ? `${name}?` : `${request}&`) + `${parameter}=${value}`);
  };

  // What each switch does is seen by the requests that are shown for it, in examples/requests.http.
  const service = useSandbox(2, 'extended', ONCE);

  it.each(OPERATIONS)('D30 $name takes a switch by each of its parameters', async (operation) => {
    const { waited } = holdLongWaits((ms) => ms === 1_500);
    for (const request of simulating(operation, 'SIMULATE-500')) {
      expectDegraded(operation, await service().request(request), 'upstream-error');
    }
    for (const request of simulating(operation, 'SIMULATE-SLOW')) {
      const response = await service().request(request);
      expectResponse(response, 'complete');
      expect(response.body).toContain('SHP-000001');
    }
    expect(waited).toContain(1_500);
    for (const request of simulating(operation, 'SIMULATE-ODD-RECORD')) {
      expectResponse(await service().request(request, STRICT), 'partial;reason=bad-reply');
    }
  });

  it('D30 D33 20 calls with SIMULATE-CIRCUIT-OPEN open the circuit of their operation, and no other', async () => {
    const [failing = ''] = simulating(DETAILS, 'SIMULATE-CIRCUIT-OPEN');
    const reasons: unknown[] = [];
    for (let call = 0; call < 21; call += 1) reasons.push((await service().request(failing, STRICT)).json().reason);
    expect(reasons.at(-1)).toBe('circuit-open');
    expectProblem(await service().request(DETAILS.request, STRICT), 503, 'external-system-failed');
    for (const { request } of OPERATIONS.filter((other) => other !== DETAILS)) {
      expect((await service().request(request.replace('SHP-1', 'SHP-000001'))).status).toBe(200);
    }
  });
});

describe('D28 the first records', () => {
  const service = useSandbox(2);

  it('have a value in each field of the model', async () => {
    const record = (await service().request('GetShippingInfoById/SHP-000001')).json();
    const names = Object.keys(mappedRecord({ body: 'record' }));
    expect(names.filter((name) => record[name] === null)).toEqual([]);
  });

  it.each(FILTERS)('are left out by a $name of none: $list.name', async ({ list, ofNone }) => {
    expect(await ids(service(), list, ofNone)).toBe('');
  });
});
