import { eventually } from '../../../testing/upstream/eventually';
import { held } from '../../../testing/upstream/responses';
import { expectDegraded, expectStrictFailure } from '../../faults/support/fault-responses';
import { endWaitsWhenDue } from '../../support/held-waits';
import { failed, useCauses } from '../../support/observed-causes';
import { OPERATIONS, STRICT } from '../../support/operations';
import type { HttpResponse } from '../../support/service';

const { scripted, observe } = useCauses({
  EXTERNAL_SHIPPING_MAX_CONCURRENT: '1',
  EXTERNAL_SHIPPING_MAX_QUEUE: '2',
});
const ids = ['FIRST', 'SECOND', 'THIRD'];
let release: () => void;
let sent: Promise<HttpResponse>[];

/** One call holds the only slot, two wait for it, however long the test takes. */
beforeEach(async () => {
  endWaitsWhenDue(1_000, () => false);
  const waiting = held();
  ({ release } = waiting);
  scripted.upstream.respondWith(waiting.behaviour);
  sent = [];
  for (const [waits, id] of ids.entries()) {
    sent.push(scripted.service.request(`GetShippingInfoById/${id}`));
    await scripted.upstream.waitForCalls(1);
    await eventually('waiting calls', () => scripted.service.metric('external_shipping_calls_waiting'), waits);
  }
});
afterEach(async () => {
  release();
  await Promise.all(sent);
});

it.each(OPERATIONS)('D20 D21 D81 $name is saturated, and says so', async (operation) => {
  const cause = 'no slot: the queue of calls is full';
  const degraded = await observe(operation);
  expectDegraded(operation, degraded.response, 'saturated');
  expect(degraded).toMatchObject({ cause, spans: [cause], lines: [failed(operation, cause)] });
  const strict = await observe(operation, STRICT);
  expectStrictFailure(strict.response, 'saturated');
  expect(strict).toMatchObject({ cause, spans: [cause], lines: [] });
  expect(strict.response.headers['retry-after']).toBe('1');
  expect(scripted.upstream.calls).toHaveLength(1);
});
