import { ShippingDetail } from '../../src/shipping/model/response-bodies';
import { fieldsOf } from '../../testing/upstream/model-fields';
import { useSandbox } from '../support/sandboxed-service';

/* Faults that no other suite noticed when they were made on purpose. */

describe('D28 the first record of the sandbox', () => {
  const service = useSandbox(2);

  it('has a value in each field of the model', async () => {
    const record = (await service.request('GetShippingInfoById/SHP-000001')).json();
    const names = fieldsOf(ShippingDetail).map(([name]) => name);
    expect(names.filter((name) => record[name] === null)).toEqual([]);
  });
});
