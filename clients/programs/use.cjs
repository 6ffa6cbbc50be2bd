// Uses the packed client, handed over by one of the two ways to load it; run by `tools/clients.ts`.
const assert = require('node:assert/strict');

module.exports = async function use({ ShippingClient, ShippingProblem }, baseUrl) {
  assert.throws(() => new ShippingClient({}), /^TypeError: baseUrl is missing/);
  const client = new ShippingClient({ baseUrl });
  const ids = [];
  for await (const { id } of client.items({ Status: 'InTransit', PageSize: 9 })) ids.push(id);
  const { data, completeness, requestId, etag } = await client.getShippingDetails({ Status: 'InTransit', Limit: 1000 });
  assert.deepEqual([...ids].sort(), data.map(({ id }) => id).sort());
  const exported = [];
  for await (const { id } of client.exportItems({ Status: 'InTransit', PageSize: 20 })) exported.push(id);
  assert.deepEqual([...exported].sort(), [...ids].sort());
  assert.ok(ids.length > 9 && requestId && etag);
  assert.deepEqual(completeness, { level: 'complete' });
  assert.equal(
    (await client.getShippingDetails({ Status: 'InTransit', Limit: 1000 }, { ifNoneMatch: etag })).notModified,
    true,
  );
  assert.equal((await client.getShippingInfoById(ids[0])).data.id, ids[0]);
  assert.equal((await client.getShippingSingle({ Id: ids[0] })).data.id, ids[0]);
  assert.equal((await client.getShippingPagedList({ PageSize: 1 })).data.items.length, 1);
  await assert.rejects(
    client.getShippingInfoById('SHP-999999'),
    (error) => error instanceof ShippingProblem && error.code === 'shipping-not-found',
  );
};
