import { Controller, Get, Module } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ParameterClass } from '../../src/http/parameters/parameter-class';
import { ProblemException } from '../../src/http/problems/problem-definitions';
import { ShippingDetail } from '../../src/shipping/model/response-bodies';
import { ListFilters } from '../../src/shipping/queries/shared/shipping-query';
import { eventually } from '../../testing/upstream/eventually';
import { fieldsOf } from '../../testing/upstream/model-fields';
import { wirePage } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { useSandbox } from '../support/sandboxed-service';
import { useScriptedService } from '../support/service';

/* Faults that no other suite noticed when they were made on purpose. */

describe('D28 the first records of the sandbox', () => {
  const service = useSandbox(2);
  /** Values that no record has; other filters are texts. */
  const OTHERS: Readonly<Record<string, string>> = {
    Status: 'Delivered',
    FromDate: '9999-01-01',
    ToDate: '0001-01-01',
  };
  const FILTERS = [...ParameterClass.of(ListFilters).parameters.values()].map(({ name }) => name);

  it('have a value in each field of the model', async () => {
    const record = (await service.request('GetShippingInfoById/SHP-000001')).json();
    const names = fieldsOf(ShippingDetail).map(([name]) => name);
    expect(names.filter((name) => record[name] === null)).toEqual([]);
  });

  it.each(FILTERS)('are all left out by a %s that none of them has', async (name) => {
    const query = `${name}=${OTHERS[name] ?? 'of-no-record'}`;
    expect((await service.request('GetShippingDetails')).json()).toHaveLength(2);
    expect((await service.request(`GetShippingDetails?${query}`)).json()).toEqual([]);
    expect((await service.request(`GetShippingPagedList?${query}`)).json().items).toEqual([]);
  });
});

const UNAVAILABLE = { status: 503, code: 'tariffs-unavailable', detail: 'The tariffs are unavailable.' };

@Controller('tariffs')
class TariffController {
  @Get()
  get(): never {
    throw new ProblemException({ ...UNAVAILABLE, retryAfterMs: 0 });
  }
}

@Module({ controllers: [TariffController] })
class TariffModule {}

describe('a service on a scripted external system', () => {
  const scripted = useScriptedService({}, { imports: [TariffModule] });
  const page = readFileSync(join(__dirname, '../../docs/production.md'), 'utf8');

  it('D24 a 304 has neither the type nor the links of the stored response', async () => {
    scripted.upstream.respondWith(json(wirePage(undefined, { TotalCount: 30, TotalPages: 3, HasNextPage: true })));
    const { headers } = await scripted.service.request('GetShippingPagedList');
    expect(headers.link).toContain('rel="next"');
    const unchanged = await scripted.service.request('GetShippingPagedList', { 'If-None-Match': String(headers.etag) });
    expect([unchanged.status, unchanged.headers['content-type'], unchanged.headers.link]).toEqual([
      304,
      undefined,
      undefined,
    ]);
  });

  it.each(['/api/Shipping/GetShippingPagedList', '/docs', '/nowhere'])('%s has all security headers', async (path) => {
    expect((await scripted.service.get(path)).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
  });

  it('D21 a Retry-After is one second at least', async () => {
    const { status, headers } = await scripted.service.get('/tariffs');
    expect([status, headers['retry-after']]).toEqual([503, '1']);
  });

  it('logs no field of a request that docs/production.md does not name', async () => {
    await scripted.service.request('GetShippingSingle?Id=SHP-1');
    const lines = (): typeof scripted.service.requestLog => scripted.service.requestLog;
    const [line = {}] = await eventually('lines of requests', lines, ({ length }) => length > 0);
    expect(Object.keys(line).filter((name) => !new RegExp(`["\`]${name}["\`]`).test(page))).toEqual([]);
  });
});
