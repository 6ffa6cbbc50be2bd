import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { launchChromium } from '../test/browser/chromium';
import { RunningService } from '../test/support/service';

/** Two calls without options, one with `ifNoneMatch`; what the page learns. */
const PROGRAM = `(async (baseUrl) => {
  const { ShippingClient } = await import('/index.js');
  const client = new ShippingClient({ baseUrl });
  const first = await client.getShippingPagedList({ PageSize: 2 });
  const second = await client.getShippingPagedList({ PageSize: 2 });
  const third = await client.getShippingPagedList({ PageSize: 2 }, { ifNoneMatch: first.etag });
  return [first.data.items.length, second.data.items.length, first.requestId !== second.requestId, third.notModified];
})`;

/**
 * Uses the client in Chromium on a page of another origin: ordinary requests have no preflight, and the cache of the browser
 * revalidates by itself.
 *
 * @param modules folder with the ES modules of the client
 * @param externalUrl of the external system
 * @throws ChromiumMissing where there is none
 */
export async function checkInBrowser(modules: string, externalUrl: string): Promise<void> {
  const browser = await launchChromium('shipping.test');
  const pages = await servePage(modules);
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const service = await RunningService.start({
    EXTERNAL_SHIPPING_BASE_URL: externalUrl,
    CORS_ORIGINS: origin,
    LOG_LEVEL: 'silent',
  });
  const exchanges: string[] = [];
  service.app.getHttpServer().prependListener('request', ({ method }: IncomingMessage, response: ServerResponse) => {
    response.on('finish', () => exchanges.push(`${method ?? ''} ${response.statusCode}`));
  });
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    deepStrictEqual(await page.evaluate(`${PROGRAM}('${service.url}')`), [2, 2, true, true]);
    deepStrictEqual(exchanges, ['GET 200', 'GET 304', 'OPTIONS 204', 'GET 304']);
  } finally {
    await browser.close();
    await service.close();
    pages.close();
  }
}

/** Serves an empty page and the modules of the client. */
async function servePage(modules: string): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const isModule = /^\/(?:[\w.-]+\/)*[\w.-]+\.js$/.test(url) && !url.includes('..');
    response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? readFileSync(join(modules, url)) : '<!doctype html>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
