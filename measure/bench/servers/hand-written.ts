import fastify from 'fastify';
import { Pool } from 'undici';
import {
  detailPath,
  type ExternalDetail,
  type ExternalPage,
  pagePath,
  type PageQuery,
  toDetail,
  toPage,
} from './mapping';

/*
 * The bar to come close to: Fastify and undici by hand, mapping and nothing else. No validation, no deadlines, no retries, no
 * logs, no metrics.
 */

const pool = new Pool(process.env.EXTERNAL_SHIPPING_BASE_URL ?? '', { connections: 64 });
const app = fastify();

async function call(path: string): Promise<unknown> {
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const reply = await body.json();
  if (statusCode !== 200) throw new Error('failed');
  return reply;
}

app.get<{ Querystring: PageQuery }>('/api/Shipping/GetShippingPagedList', async ({ query }) =>
  toPage((await call(pagePath(query))) as ExternalPage),
);
app.get<{ Params: { id: string } }>('/api/Shipping/GetShippingInfoById/:id', async ({ params }) =>
  toDetail((await call(detailPath(params.id))) as ExternalDetail),
);

void app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
