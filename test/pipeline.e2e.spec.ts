import { OPERATIONS, type Operation } from './support/operations';
import { useScriptedService } from './support/service';
import { status } from './support/upstream/responses';

const IMPATIENT = { EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
const PRIVATE = 'ORD-PRIVATE-1';

/** A request with something private in it. */
const privately = (operation: Operation): string =>
  operation.name === 'GetShippingInfoById' ? `${operation.name}/${PRIVATE}` : `${operation.name}?OrderId=${PRIVATE}`;

describe('queries in the metrics', () => {
  const scripted = useScriptedService(IMPATIENT);

  it('are counted by name and outcome, and nothing else', async () => {
    for (const operation of OPERATIONS) {
      await scripted.service.request(privately(operation));
      scripted.upstream.respondOnce(status(404));
      await scripted.service.request(privately(operation));
    }
    const { body } = await scripted.service.get('/metrics');
    const counts = body.split('\n').filter((line) => line.startsWith('shipping_query_duration_seconds_count'));
    expect(counts.sort()).toEqual(
      OPERATIONS.flatMap(({ name, single }) =>
        ['complete', single ? 'not-found' : 'unavailable'].map(
          (outcome) => `shipping_query_duration_seconds_count{query="${name}Query",outcome="${outcome}"} 1`,
        ),
      ).sort(),
    );
    expect(body).not.toContain(PRIVATE);
  });
});
