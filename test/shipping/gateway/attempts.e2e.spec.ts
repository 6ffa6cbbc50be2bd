import { status } from '../../../testing/upstream/responses';
import { POLICY_WINDOW_MS } from '../../faults/support/fault-responses';
import { expectResponse, expectUnavailable } from '../../support/expected';
import { useMonotonicClock } from '../../support/monotonic-clock';
import { DETAILS, OPERATIONS } from '../../support/operations';
import { PATIENT, useScriptedService } from '../../support/service';

const clock = useMonotonicClock();
beforeEach(() => {
  clock.advance(POLICY_WINDOW_MS);
});

describe('D26 attempts', () => {
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '3' });

  it.each(OPERATIONS)('D26 $name has another attempt', async (operation) => {
    const { service, upstream } = scripted;
    upstream.enqueue(status(503));
    expectResponse(await service.request(operation.request), 'complete');
    expect(upstream.calls).toHaveLength(2);
  });

  it('D22 D26 there are three, with one id and one trace', async () => {
    const { service, upstream } = scripted;
    upstream.respondWith(status(503));
    expectUnavailable(DETAILS, await service.request(DETAILS.request, { 'X-Request-Id': 'R-7' }), 'upstream-error');
    expect(upstream.calls.map(({ headers }) => headers['x-request-id'])).toEqual(['R-7', 'R-7', 'R-7']);
    expect(new Set(upstream.calls.map(({ headers }) => headers.traceparent?.split('-')[1])).size).toBe(1);
    expect(new Set(upstream.calls.map(({ target }) => target)).size).toBe(1);
  });
});
