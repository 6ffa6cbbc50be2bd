import { SwaggerModule } from '@nestjs/swagger';
import type * as Zlib from 'node:zlib';
import { createGzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import type { BoundedServer } from '../../src/http/server/bounded-server';
import { REASONS } from '../support/expected';
import { read } from '../support/read';
import { type HttpResponse, PATIENT, useScriptedService, useStart } from '../support/service';

jest.mock('node:zlib', () => {
  const library = jest.requireActual<typeof Zlib>('node:zlib');
  const { createGzip, gzip, gzipSync } = library;
  return { ...library, createGzip: jest.fn(createGzip), gzip: jest.fn(gzip), gzipSync: jest.fn(gzipSync) };
});

const CONTRACT = read('docs/contract.md');
const MEMBERS = ['errors', 'detail', 'reason'];
/** The codes of D15, which stand behind their statuses, and those of the balancer. */
const CODES = (CONTRACT.match(/^ {2}(?:- \d{3}[,:] ?|\[The balancer\]).*$/gm) ?? [])
  .flatMap((line) => [...line.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name))
  .filter((name) => !MEMBERS.includes(name));
const PATHS = ['/', '/docs', '/docs/swagger-ui.css', '/openapi.json', '/openapi.yaml', '/problems'];

const scripted = useScriptedService(PATIENT);
const start = useStart({ ...PATIENT, DOCS: 'on' });

it('D71 has a title and parts that may be kept for a day', async () => {
  const { body } = await scripted.service.get('/docs');
  expect(body).toContain('<title>Shipping Query Service</title>');
  const parts = [...body.matchAll(/(?:src|href)=["'](\.[^"']+)["']/g)].map(([, part = '']) => part);
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts) {
    const { origin, pathname } = new URL(part, `${scripted.service.url}/docs`);
    const { status: code, headers } = await scripted.service.get(pathname);
    const kept = part.endsWith('swagger-ui-init.js') ? 'no-store' : 'public, max-age=86400';
    expect([part, origin, code, headers['cache-control']]).toEqual([part, scripted.service.url, 200, kept]);
    if (headers.etag === undefined) continue;
    const condition = { 'If-None-Match': headers.etag };
    const again = await scripted.service.get(pathname, { headers: condition });
    expect([part, again.status, again.headers['cache-control']]).toEqual([part, 304, kept]);
  }
});

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui-init.js'];
const PARTS = ['/docs', '/docs/', ...FILES.map((file) => `/docs/${file}`)];
const TEXTS = ['/openapi.json', '/openapi.yaml', '/problems'];
const ask = (path: string, coding: string, method = 'GET', more = {}): Promise<HttpResponse> =>
  scripted.service.get(path, { method, headers: { 'Accept-Encoding': coding, ...more } });

it.each([...PARTS, ...TEXTS])('D71 %s is compressed once', async (path) => {
  const plain = (await ask(path, 'identity')).bytes;
  expect(gunzipSync((await ask(path, 'gzip')).bytes).equals(plain)).toBe(true);
  jest.clearAllMocks();
  for (const coding of ['gzip, br', 'gzip', '*']) {
    const { headers } = await ask(path, coding);
    const vary = expect.stringMatching(/accept-encoding/) as unknown;
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary });
  }
  for (const compressor of [createGzip, gzip, gzipSync]) expect(compressor).not.toHaveBeenCalled();
});

it('D71 the page weighs at most 700 kB on the wire', async () => {
  let bytes = 0;
  for (const path of [...PARTS.slice(1), '/docs/favicon-32x32.png']) {
    bytes += (await ask(path, 'gzip')).bytes.length;
  }
  expect(bytes).toBeGreaterThan(400_000);
  expect(bytes).toBeLessThan(700_000);
});

it('D25 D71 page, script and both documents are made once', async () => {
  const paths = ['/docs', '/docs/swagger-ui-init.js', '/openapi.json', '/openapi.yaml'];
  for (const path of paths) await scripted.service.get(path);
  const created = jest.spyOn(SwaggerModule, 'createDocument');
  const made = [jest.spyOn(JSON, 'stringify'), jest.spyOn(String.prototype, 'replace')];
  for (const path of paths) await scripted.service.get(path);
  const texts = made.flatMap(({ mock }) => mock.results).map(({ value }) => String(value));
  expect(created).not.toHaveBeenCalled();
  jest.restoreAllMocks();
  expect(texts.filter((text) => text.length > 5000)).toEqual([]);
});

it.each(TEXTS)('D24 D79 %s has one ETag for all codings and methods', async (path) => {
  const { etag, vary, 'content-type': type } = (await ask(path, 'identity')).headers;
  const same = { etag, vary, 'content-type': type, 'cache-control': 'private, no-cache' };
  for (const method of ['GET', 'HEAD']) {
    const { headers, bytes } = await ask(path, 'gzip', method);
    expect([headers, bytes.length > 0]).toEqual([expect.objectContaining(same), method === 'GET']);
    const unchanged = await ask(path, 'gzip', method, { 'If-None-Match': String(etag) });
    expect([unchanged.status, unchanged.bytes.length, unchanged.headers.etag]).toEqual([304, 0, etag]);
    expect(unchanged.headers['content-encoding']).toBeUndefined();
  }
});

it.each(['/docs', '/problems'])('D71 %s has no inline script', async (path) => {
  const { body, headers } = await scripted.service.get(path);
  expect(body).not.toMatch(/<script(?![^>]* src=)| on\w+=/);
  expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; /);
});

it('D20 no error of a file of the page may be stored', async () => {
  const server = scripted.service.app.getHttpServer() as BoundedServer;
  const stored = async (file: string): Promise<unknown[]> => {
    const { status: code, headers } = await scripted.service.get(`/docs/${file}`);
    return [code, headers['cache-control']];
  };
  expect(await stored('none.png')).toEqual([404, 'no-store']);
  server.active += 1e6;
  const shed = await stored('favicon-32x32.png');
  server.active -= 1e6;
  expect(shed).toEqual([503, 'no-store']);
  expect(await stored('favicon-32x32.png')).toEqual([200, 'public, max-age=86400']);
});

it('D15 the page of problems has an anchor for each code', async () => {
  const { headers, body } = await scripted.service.get('/problems');
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, code]) => code);
  expect(ids).toEqual(expect.arrayContaining([...CODES, ...REASONS]));
  expect([CODES.length > 10, new Set(ids).size]).toEqual([true, ids.length]);
  const ofBalancer = [...read('deploy/haproxy/haproxy.cfg').matchAll(/"detail":"([^"]+)".*"code":"([^"]+)"/g)];
  expect(new Set(ofBalancer.map(([, , code]) => code))).toEqual(new Set(['no-replica', 'too-many-requests']));
  for (const [, detail, code] of ofBalancer) expect(body).toMatch(new RegExp(`<h2 id="${code}">.*: ${detail} <b>`));
  expect(body.trim().split('\n').length).toBeLessThanOrEqual(60);
});

it('D88 each problem and reason has a cause and a remedy; common ones come first', async () => {
  const { body } = await scripted.service.get('/problems');
  const sections = [...body.matchAll(/<h2 id="([^"]+)"><code>.*<\/h2><p>(.*)<\/p>/g)];
  expect(sections.length).toBeGreaterThanOrEqual(CODES.length);
  for (const [, code, text] of sections) {
    expect([code, text]).toEqual([code, expect.stringMatching(/^\d{3} .*: [A-Z].*\. <b>What to do:<\/b> [A-Z].*\.$/)]);
  }
  // Of general remedies, a code has one of its own.
  expect(body).not.toMatch(/Send another request\.|Try once more\.</);
  const codes = sections.map(([, code = '']) => code);
  expect(codes.slice(0, 3)).toEqual(['invalid-parameters', 'shipping-not-found', 'external-system-failed']);
  // Last are those that only extensions send.
  const ofExtensions = ['bad-request', 'not-found', 'content-too-large', 'unsupported-media-type'];
  expect(codes.slice(codes.indexOf('bad-request'))).toEqual([...ofExtensions, 'service-unavailable']);
  expect(body).toContain('its reason in <a href="#reasons">');
  const rows = [...body.matchAll(/<tr id="([^"]+)">(.*)<\/tr>/g)];
  expect(rows.map(([, reason]) => reason)).toEqual([...REASONS]);
  for (const [, reason, row = ''] of rows) {
    const cells = [...row.matchAll(/<td>([A-Z][^<]*\.)<\/td>/g)];
    expect([reason, cells.length]).toEqual([reason, 3]);
  }
  expect(body).toContain('<a href="/docs">');
});

it('D25 with DOCS=off all of it is 404, and types are the same', async () => {
  const { service } = await start({ DOCS: 'off' });
  for (const path of PATHS) expect([path, (await service.get(path)).status]).toEqual([path, 404]);
  expect((await service.get('/health/live')).status).toBe(200);
  const { type } = (await service.request('GetShippingDetails?Limit=0')).json();
  expect(type).toBe('/problems#invalid-parameters');
});
