import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expectProblem } from '../support/expectations';
import type { HttpResponse } from '../support/http-client';
import { OPERATIONS, SINGLES } from '../support/operations';
import { startScriptedService, useScriptedService } from '../support/service';
import { status } from '../support/upstream/responses';
import { PATIENT } from '../support/patient';

const read = (file: string): string => readFileSync(join(__dirname, '../..', file), 'utf8');
/** The codes of the table of D15. */
const CODES = [...read('docs/contract.md').matchAll(/^ {2}\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| \d{3}/gm)].flatMap(
  ([, codes = '']) => codes.replaceAll('`', '').split(', '),
);

interface DocumentedOperation {
  readonly operationId: string;
  readonly 'x-problem-codes': readonly string[];
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get: DocumentedOperation }>>;
  readonly components: {
    readonly schemas: { readonly Problem: { readonly properties: { readonly code: Record<string, unknown> } } };
  };
}
const DOCUMENT = JSON.parse(read('openapi.json')) as Document;

describe('D15 pages of problems', () => {
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
  const page = (code: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    scripted.service.get(`/problems/${code}`, { headers });

  it('D15 the table has the codes', () => {
    expect(CODES).toEqual(expect.arrayContaining(['invalid-parameters', 'external-system-failed', 'keys-unavailable']));
  });

  it.each(CODES)('D15 /problems/%s explains the problem', async (code) => {
    const html = await page(code);
    expect([html.status, html.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const text of [`<h1><code>${code}</code></h1>`, '<h2>Retry</h2>', '<h2>Example</h2>']) {
      expect(html.body).toContain(text);
    }
    const json = await page(code, { Accept: 'application/json' });
    expect([json.status, json.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const { statuses, example, ...rest } = json.json() as { statuses: number[]; example: { status: number } };
    expect(rest).toEqual({
      type: `/problems/${code}`,
      code,
      meaning: expect.stringMatching(/\.$/),
      retry: expect.stringMatching(/^(Yes|No|Once).*\.$/),
    });
    expect(statuses).toContain(example.status);
    expect(example).toMatchObject({ type: `/problems/${code}`, code });
  });

  // test/document-examples.e2e.spec.ts requests those of the document.
  it.each(CODES)('D56 the example of /problems/%s is one of the document, or of no operation', async (code) => {
    const { example } = (await page(code, { Accept: 'application/json' })).json();
    const documented = JSON.stringify(DOCUMENT).includes(JSON.stringify(example));
    expect([example.instance, documented]).toEqual(documented ? [example.instance, true] : ['/example', false]);
  });

  it.each([
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html'],
    ['*/*', 'text/html'],
    ['application/json;q=0.5, text/html;q=0.9', 'text/html'],
    ['text/html;q=0.1, application/json', 'application/json'],
    ['application/json;q=0', 'text/html'],
  ])('D15 Accept: %s gets %s', async (Accept, type) => {
    const { headers } = await page('overloaded', { Accept });
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
    expect(headers.vary?.split(', ')).toContain('Accept');
  });

  it('D15 a page has an ETag for each form, and is not sent again', async () => {
    const [html, json] = [await page('overloaded'), await page('overloaded', { Accept: 'application/json' })];
    expect(html.headers.etag).not.toBe(json.headers.etag);
    expect(html.headers['cache-control']).toBe('private, no-cache');
    const unchanged = await page('overloaded', { 'If-None-Match': String(html.headers.etag) });
    expect([unchanged.status, unchanged.body]).toEqual([304, '']);
    const other = await page('overloaded', { Accept: 'application/json', 'If-None-Match': String(html.headers.etag) });
    expect(other.status).toBe(200);
  });

  it('D15 a page runs no script, and has no style but its own', async () => {
    const { headers, body } = await page('overloaded');
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(body).not.toMatch(/<script|<link|<img|\son\w+=|style=/i);
  });

  it('D12 a page matches ignoring case, has HEAD, and no other method', async () => {
    expect((await scripted.service.get('/Problems/Overloaded/')).status).toBe(200);
    const head = await scripted.service.get('/problems/overloaded', { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
    const post = await scripted.service.get('/problems/overloaded', { method: 'POST' });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it.each(['no-such-problem', '__proto__', 'constructor', '%3Cscript%3E', 'a/b', ''])('D15 /problems/%s is 404', async (code) => {
    expectProblem(await page(code, { Accept: 'application/json' }), 404, 'route-not-found');
  }); // prettier-ignore

  it.each(SINGLES)('D15 $name: the type of a problem leads to its page', async (operation) => {
    for (const [code, name] of [[404, 'shipping-not-found'], [500, 'external-system-failed']] as const) {
      scripted.upstream.respondWith(status(code));
      const problem = (await scripted.service.request(operation.request)).json() as { type: string };
      expect(problem).toMatchObject({ code: name, type: `/problems/${name}` });
      expect((await scripted.service.get(problem.type)).body).toContain(name);
    }
  }); // prettier-ignore

  it.each(OPERATIONS)('D15 openapi.json lists the codes of $name, and each has a page', async ({ name }) => {
    const [, path] = Object.entries(DOCUMENT.paths).find(([key]) => key.startsWith(`/api/Shipping/${name}`)) ?? [];
    const codes = path?.get['x-problem-codes'] ?? [];
    expect(codes).toEqual(expect.arrayContaining(['invalid-parameters', 'external-system-failed', 'overloaded']));
    expect(codes.includes('shipping-not-found')).toBe(SINGLES.some((single) => single.name === name));
    const { code } = DOCUMENT.components.schemas.Problem.properties;
    expect(code).toMatchObject({ type: 'string', 'x-extensible-enum': expect.arrayContaining([...codes]) });
    expect(code).not.toHaveProperty('enum');
    for (const each of codes) expect([each, (await page(each)).status]).toEqual([each, 200]);
  });

  it('D15 with DOCS=off there are no pages, and types are the same', async () => {
    const { service, close } = await startScriptedService({ ...PATIENT, DOCS: 'off' });
    try {
      const problem = await service.request('GetShippingDetails?Limit=0');
      expect(problem.json().type).toBe('/problems/invalid-parameters');
      expectProblem(await service.get('/problems/invalid-parameters'), 404, 'route-not-found');
    } finally {
      await close();
    }
  });
});
