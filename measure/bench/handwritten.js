// The bar to come close to: Fastify and undici by hand, mapping and nothing else. No validation beyond numbers, no
// deadlines, no retries, no logs, no metrics.
const fastify = require('fastify');
const { Pool } = require('undici');

const pool = new Pool(process.env.EXTERNAL_SHIPPING_BASE_URL ?? '', { connections: 64 });
const app = fastify();

const STATUS = new Map([
  ['created', 'Created'],
  ['in_transit', 'InTransit'],
  ['delivered', 'Delivered'],
  ['cancelled', 'Cancelled'],
]);

/** @param {any} record */
function listItem(record) {
  const status = STATUS.get(String(record.Status).toLowerCase()) ?? 'Unknown';
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: new Date(record.CreatedDate).toISOString(),
    createdBy: record.CreatedBy,
    isActive: !record.IsDeleted,
  };
}

/** @param {any} record */
function lookupItem(record) {
  const status = STATUS.get(String(record.Status).toLowerCase()) ?? 'Unknown';
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: new Date(record.CreatedDate).toISOString(),
    isActive: !record.IsDeleted,
  };
}

/** @param {string | undefined} term */
const search = (term) => (term === undefined ? '' : `&SearchTerm=${encodeURIComponent(term)}`);

/** @param {string} path */
async function call(path) {
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const reply = await body.json();
  if (statusCode !== 200) throw new Error('failed');
  return /** @type {any} */ (reply);
}

app.get('/api/Shipping/GetShippingPagedList', async (/** @type {any} */ { query }) => {
  const { PageNumber = 1, PageSize = 10, SearchTerm } = query;
  const path = `/shippings/paged?PageNumber=${PageNumber}&PageSize=${PageSize}&SortBy=CreatedDate&SortDirection=desc`;
  const reply = await call(path + search(SearchTerm));
  return {
    items: reply.Items.map(listItem),
    totalCount: reply.TotalCount,
    pageNumber: reply.PageNumber,
    pageSize: reply.PageSize,
    totalPages: reply.TotalPages,
    hasPreviousPage: reply.HasPreviousPage,
    hasNextPage: reply.HasNextPage,
  };
});

app.get('/api/Shipping/GetShippingDetails', async (/** @type {any} */ { query }) => {
  const reply = await call(`/shippings/details?Limit=${query.Limit}${search(query.SearchTerm)}`);
  return reply.ShippingDetails.map(lookupItem);
});

app.get('/api/Shipping/GetShippingInfoById/:id', async (/** @type {any} */ { params }) => {
  const record = await call(`/shippings/by-id/${encodeURIComponent(params.id)}`);
  return {
    ...listItem(record),
    modifiedDate: new Date(`${record.ModifiedDate}Z`).toISOString(),
    modifiedBy: record.ModifiedBy,
    shippingItems: record.ShippingItems.map((/** @type {any} */ item) => ({
      id: item.Id,
      sku: item.Sku,
      description: item.Description,
      quantity: item.Quantity,
      weight: item.Weight,
    })),
  };
});

app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
