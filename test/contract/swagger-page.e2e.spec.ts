import { pageFiles } from '../support/page-files';
import { useScriptedService } from '../support/service';
import { PATIENT } from '../support/patient';

describe('D25 the Swagger page', () => {
  const scripted = useScriptedService(PATIENT);
  const page = () => scripted.service.get('/docs');

  it('D25 is revalidated, and 304 while it has not changed', async () => {
    const { status, headers } = await page();
    expect([status, headers['cache-control']]).toEqual([200, 'private, no-cache']);
    const again = await scripted.service.get('/docs', { headers: { 'If-None-Match': String(headers.etag) } });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it('D25 the document is revalidated, and 304 while it has not changed', async () => {
    const { headers } = await scripted.service.get('/openapi.json');
    expect(headers['cache-control']).toBe('private, no-cache');
    const again = await scripted.service.get('/openapi.json', { headers: { 'If-None-Match': String(headers.etag) } });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it.each(['swagger-ui-bundle.js', 'swagger-ui.css', 'page.js', 'theme.js', 'page.css', 'favicon.svg'])(
    'D25 %s may be kept for a year: its path changes with its content',
    async (name) => {
      const { status, headers } = await scripted.service.get(`${pageFiles(await page())}${name}`);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    },
  );

  it.each(['index.html', 'swagger-ui-bundle.js.map', 'package.json', 'LICENSE', '%2e%2e/package.json'])(
    'D25 %s is not served',
    async (name) => {
      expect((await scripted.service.get(`${pageFiles(await page())}${name}`)).status).toBe(404);
    },
  );

  it('D25 lists the operations before its scripts run', async () => {
    const { body } = await page();
    const { paths } = (await scripted.service.get('/openapi.json')).json() as {
      paths: Record<string, { get: { tags: string[]; operationId: string; summary: string } }>;
    };
    const shown = Object.values(paths).map(({ get }) => `href="#/${get.tags[0] ?? ''}/${get.operationId}"`);
    expect(shown.length).toBeGreaterThanOrEqual(4);
    for (const link of shown) expect(body).toContain(link);
    for (const { get } of Object.values(paths)) expect(body).toContain(`>${get.summary}<`);
  });

  it('D25 runs no inline script and no inline style, and the policy allows none', async () => {
    const { body, headers } = await page();
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe/);
  });
});
