import { eventually } from '../../../testing/upstream/eventually';
import { json } from '../../../testing/upstream/responses';
import { expectProblem, expectUnavailable, type Operation, OPERATIONS, STRICT } from '../../support/operations';
import type { RunningService, ScriptedService } from '../../support/service';
import { type Reason, STRICT_STATUS } from './external-faults';

/** The circuit breaker and the retry budget forget older calls. */
export const POLICY_WINDOW_MS = 11_000;

/** An operation degrades by default and fails under strict handling, for the same reason. */
export async function expectFailure(service: RunningService, operation: Operation, reason: Reason): Promise<void> {
  const degraded = await service.request(operation.request);
  if (operation.single) {
    expectProblem(degraded, 500, 'external-system-failed');
    expect(degraded.json().reason).toBe(reason);
  } else {
    expectUnavailable(operation, degraded, reason);
  }
  expect(degraded.headers['preference-applied']).toBeUndefined();

  const strict = await service.request(operation.request, STRICT);
  expectProblem(strict, STRICT_STATUS[reason], 'external-system-failed');
  expect(strict.json().reason).toBe(reason);
  expect(strict.headers['preference-applied']).toBe('handling=strict');
}

/** Nothing is left of what happened: no call in flight, no queue, and all four operations respond in full. */
export async function expectRecovered({ service, upstream }: Omit<ScriptedService, 'close'>): Promise<void> {
  upstream.respondWith(json());
  await eventually('calls in flight', () => upstream.inFlight(), 0);
  for (const operation of OPERATIONS) {
    const { status, headers } = await service.request(operation.request);
    expect([operation.name, status, headers['shipping-completeness']]).toEqual([operation.name, 200, 'complete']);
  }
  await eventually('calls in flight', () => upstream.inFlight(), 0);
  expect((await service.get('/health/ready')).json()).toEqual({
    status: 'ready',
    externalSystem: { circuits: { single: 'closed', 'by-id': 'closed', details: 'closed', paged: 'closed' } },
  });
}
