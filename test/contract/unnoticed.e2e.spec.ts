import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ParameterClass } from '../../src/http/parameters/parameter-class';
import { ShippingDetail } from '../../src/shipping/model/response-bodies';
import { ListFilters } from '../../src/shipping/queries/shared/list-filters';
import { eventually } from '../../testing/upstream/eventually';
import { fieldsOf } from '../../testing/upstream/model-fields';
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

describe('the log line of a request', () => {
  const scripted = useScriptedService();
  const page = readFileSync(join(__dirname, '../../docs/production.md'), 'utf8');

  it('has no field that docs/production.md does not name', async () => {
    await scripted.service.request('GetShippingSingle?Id=SHP-1');
    const lines = (): typeof scripted.service.requestLog => scripted.service.requestLog;
    const [line = {}] = await eventually('lines of requests', lines, ({ length }) => length > 0);
    expect(Object.keys(line).filter((name) => !new RegExp(`["\`]${name}["\`]`).test(page))).toEqual([]);
  });
});
