import type { OpenAPIObject } from '@nestjs/swagger';
import { status } from '../../testing/upstream/responses';
import { examplesOf } from '../support/document-examples';
import { useScriptedService } from '../support/service';

const BASE = '/shipping/v2';

describe('D84 behind a gateway that removes a path', () => {
  const scripted = useScriptedService({ PUBLIC_BASE_PATH: BASE });

  it.each([
    ['GetShippingDetails?Limit=0', 'invalid-parameters', '/GetShippingDetails'],
    ['GetShippingInfoById/SHP-1', 'shipping-not-found', '/GetShippingInfoById/SHP-1'],
    ['Nowhere', 'route-not-found', '/Nowhere'],
    ['%zz', 'invalid-parameters', '/%25zz'],
  ])('D15 type and instance of %s', async (request, code, path) => {
    scripted.upstream.respondWith(status(404));
    const problem = (await scripted.service.request(request)).json();
    expect(problem).toMatchObject({ type: `${BASE}/problems#${code}`, instance: `${BASE}/api/Shipping${path}` });
  });

  it.each(['/', '//', '/docs/index.html'])('D25 D71 Location of %s', async (path) => {
    const { status: code, headers } = await scripted.service.get(path);
    expect([code, headers.location]).toEqual([302, `${BASE}/docs`]);
  });

  it('D72 the server of the document, its links and its examples', async () => {
    const document = (await scripted.service.get('/openapi.json')).json() as OpenAPIObject;
    expect(document.servers).toEqual([expect.objectContaining({ url: BASE })]);
    const links = [...String(document.info.description).matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target);
    expect(links).toEqual(
      ['problems#reasons', 'openapi.json', 'openapi.yaml', 'problems'].map((link) => `${BASE}/${link}`),
    );
    const examples = examplesOf(document).filter(([, code]) => code >= 400);
    expect(examples.length).toBeGreaterThan(4);
    const ours: unknown = expect.stringMatching(/^\/shipping\/v2\/[a-z]/);
    for (const [, , value] of examples) expect(value).toMatchObject({ type: ours, instance: ours });
  });

  it.each(['/docs', '/docs/'])('D71 the files of the page %s are below it', async (path) => {
    const { body } = await scripted.service.get(path);
    const files = [...body.matchAll(/(?:src|href)=["']([^"']+)["']/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const { pathname } = new URL(file, `${scripted.service.url}${BASE}${path}`);
      expect(pathname).toMatch(/^\/shipping\/v2\/(docs\/[\w.-]+|openapi\.(json|yaml)|problems)$/);
      expect((await scripted.service.get(pathname.slice(BASE.length))).status).toBe(200);
    }
  });
});
