import fastify from 'fastify';
import { Pool } from 'undici';
import { type ExternalPage, pagePath, type PageQuery, toPage } from './mapping';

/*
 * The least that a server has to do: Fastify and undici without Nest, and the mapping of records. Without validation,
 * deadlines, retries, logs and metrics, it shows what these cost the service.
 */

const pool = new Pool(process.env.EXTERNAL_SHIPPING_BASE_URL ?? '', { connections: 64 });
const app = fastify();

app.get<{ Querystring: PageQuery }>('/api/Shipping/GetShippingPagedList', async ({ query }) => {
  const { statusCode, body } = await pool.request({ method: 'GET', path: pagePath(query) });
  const page = await body.json();
  if (statusCode !== 200) throw new Error('failed');
  return toPage(page as ExternalPage);
});

void app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
