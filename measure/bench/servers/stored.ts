import fastify from 'fastify';
import { type ExternalList, type ExternalPage, pagePath, toLookups, toPage } from './mapping';

/*
 * The least that a cache has to do: Fastify without Nest, which returns an object that it keeps, and serialises it for
 * each request as it does by default. Without keys, expiry, validation, logs and metrics, it shows what these cost a hit
 * of the service.
 */

const load = async (path: string): Promise<unknown> =>
  (await fetch(`${process.env.EXTERNAL_SHIPPING_BASE_URL}${path}`)).json();

async function main(): Promise<void> {
  const page = toPage((await load(pagePath({}))) as ExternalPage);
  const list = toLookups((await load('/shippings/details?Limit=1000')) as ExternalList);
  const app = fastify();
  app.get('/api/Shipping/GetShippingPagedList', () => Promise.resolve(page));
  app.get('/api/Shipping/GetShippingDetails', () => Promise.resolve(list));
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
}

void main();
