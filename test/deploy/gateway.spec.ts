import type { OpenAPIObject } from '@nestjs/swagger';
import { existsSync } from 'node:fs';
import { HAPROXY, startGateway } from '../support/gateway';
import { type HttpResponse, send } from '../support/http-client';
import { RunningService } from '../support/service';
import { useStarted } from '../support/started';

const BASE = '/shipping';
const operation = (target: string): string => `${BASE}/api/Shipping/${target}`;

/** Skipped, by its name, where HAProxy is missing. */
(existsSync(HAPROXY) ? describe : describe.skip)('D84 behind HAProxy, which removes the path', () => {
  const service = useStarted(() => RunningService.start({ PUBLIC_BASE_PATH: BASE }));
  const gateway = useStarted(() => startGateway(service().url, BASE));
  const get = (path: string): Promise<HttpResponse> => send(gateway().url, path, { notOurs: true });

  it.each(['/', '/docs/index.html'])('D25 D71 %s redirects to the page', async (path) => {
    const { status, headers } = await get(BASE + path);
    expect([status, headers.location]).toEqual([302, `${BASE}/docs`]);
    expect((await get(String(headers.location))).body).toContain('<title>Shipping Query Service</title>');
  });

  it('D23 the links of a page, followed to the last', async () => {
    const pages: number[] = [];
    for (let target: string | undefined = operation('GetShippingPagedList?PageSize=100&Status[]=Created'); target;) {
      const { headers, json } = await get(target);
      const page = json() as { pageNumber: number; totalPages: number };
      pages.push(page.pageNumber);
      target = /<([^>]*)>; rel="next"/.exec(String(headers.link))?.[1];
      expect(page.totalPages >= page.pageNumber).toBe(true);
      if (target === undefined) expect(page.pageNumber).toBe(page.totalPages);
    }
    expect(pages).toEqual(pages.map((_, index) => index + 1));
    expect(pages.length).toBeGreaterThan(1);
  });

  it('D15 type and instance of a problem lead somewhere', async () => {
    const target = operation('GetShippingDetails?Limit=0');
    const { type, instance, code } = (await get(target)).json() as Record<string, string>;
    expect(instance).toBe(operation('GetShippingDetails'));
    const [path = '', anchor] = String(type).split('#');
    expect([anchor, (await get(path)).body.includes(`id="${String(code)}"`)]).toEqual([code, true]);
  });

  it('D72 server, links and paths of the document lead somewhere', async () => {
    const { servers, info } = (await get(`${BASE}/openapi.json`)).json() as OpenAPIObject;
    const links = [...String(info.description).matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
    const targets = [...links, `${String(servers?.[0]?.url)}/api/Shipping/GetShippingDetails?Limit=1`];
    expect(targets).toHaveLength(5);
    for (const target of targets) expect((await get(target.replace(/#.*/, ''))).status).toBe(200);
  });
});
