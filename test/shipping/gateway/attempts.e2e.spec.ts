import { neverResponds } from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import { status } from '../../../testing/upstream/responses';
import { POLICY_WINDOW_MS } from '../../faults/support/fault-responses';
import { useMonotonicClock } from '../../support/monotonic-clock';
import {
  DETAILS,
  expectProblem,
  expectResponse,
  expectUnavailable,
  OPERATIONS,
  PATIENT,
  STRICT,
} from '../../support/operations';
import { useScriptedService } from '../../support/service';

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

describe('D26 EXTERNAL_SHIPPING_TIMEOUT_MS', () => {
  const scripted = useScriptedService({
    EXTERNAL_SHIPPING_TIMEOUT_MS: '1000',
    EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '60000',
    EXTERNAL_SHIPPING_MAX_ATTEMPTS: '10',
  });

  it('D26 bounds a call, retries included', async () => {
    const { service, upstream } = scripted;
    upstream.enqueue(status(503));
    upstream.respondWith(neverResponds());
    const responses = await Promise.all(OPERATIONS.map(({ request }) => service.request(request, STRICT)));
    for (const response of responses) expectProblem(response, 504);
    await eventually('calls in flight', () => upstream.inFlight(), 0);
  });
});
