import fastify from 'fastify';
import { Pool } from 'undici';
import { type ExternalPage, toPage } from './mapping';

/*
 * The least that a server has to do: Fastify and undici without Nest, and the mapping of records. Without validation,
 * deadlines, retries, logs and metrics, it shows what these cost the service.
 */

const pool = new Pool(process.env.EXTERNAL_SHIPPING_BASE_URL ?? '', { connections: 64 });
const app = fastify();

app.get('/api/Shipping/GetShippingPagedList', async ({ url }) => {
  const path = url.replace('/api/Shipping/GetShippingPagedList', '/shippings/paged');
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const page = await body.json();
  if (statusCode !== 200) throw new Error('failed');
  return toPage(page as ExternalPage);
});

void app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
