import { CarrierFieldProtocol } from '../../examples/team/carrier-field.protocol';
import { wireBody, wireList, wirePage, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { OPERATIONS } from '../support/operations';
import { useScriptedService } from '../support/service';

describe('D85 a field of a team on every record', () => {
  const scripted = useScriptedService({ CACHE_TTL_MS: '60000' }, { protocol: CarrierFieldProtocol });

  it.each(OPERATIONS)('is in $name, also from the cache, and null where it is absent', async (operation) => {
    const records = [wireRecord({ Carrier: 'ups' }), wireRecord({ Id: 'SHP-2', Carrier: undefined })];
    const reply = { ...wireBody({ Carrier: 'ups' }), ...wirePage(records), ...wireList(records) };
    scripted.upstream.respondWith(json(reply));
    const carriers = operation.single ? ['ups'] : ['ups', null];
    for (let request = 0; request < 2; request += 1) {
      // The client of the tests would miss the field in the document of the repository.
      const { body } = await scripted.service.app.inject({ url: `/api/Shipping/${operation.request}` });
      const parsed = JSON.parse(body) as { items?: object[] };
      const found = [parsed.items ?? parsed].flat() as { carrier: unknown }[];
      expect(found.map(({ carrier }) => carrier)).toEqual(carriers);
    }
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('is in the document', async () => {
    const { schemas } = (await scripted.service.get('/openapi.json')).json().components as {
      schemas: Record<string, { properties: object; required: string[] }>;
    };
    for (const name of ['ShippingListItem', 'ShippingLookupItem', 'ShippingDetail']) {
      expect(schemas[name]).toMatchObject({ properties: { carrier: { description: 'Code of the carrier' } } });
      expect(schemas[name]?.required).toContain('carrier');
    }
  });
});
