// The bar to come close to: Fastify and undici by hand, mapping and nothing else. No validation, no deadlines, no
// retries, no logs, no metrics.
const fastify = require('fastify');
const { Pool } = require('undici');
const { detail, detailPath, lookupItems, lookupPath, page, pagePath } = require('./mapping');

const pool = new Pool(process.env.EXTERNAL_SHIPPING_BASE_URL ?? '', { connections: 64 });
const app = fastify();

/** @param {string} path */
async function call(path) {
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const reply = await body.json();
  if (statusCode !== 200) throw new Error('failed');
  return /** @type {any} */ (reply);
}

app.get('/api/Shipping/GetShippingPagedList', async ({ query }) => page(await call(pagePath(query))));
app.get('/api/Shipping/GetShippingDetails', async ({ query }) => lookupItems(await call(lookupPath(query))));
app.get('/api/Shipping/GetShippingInfoById/:id', async ({ params }) => detail(await call(detailPath(params))));

app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
