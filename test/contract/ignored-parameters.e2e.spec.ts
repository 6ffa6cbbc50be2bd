import {
  expectAnswer,
  expectBadInput,
  expectPlainMessage,
  expectProblem,
  PAGE_NUMBER_MESSAGE,
} from '../support/expectations';
import type { HttpResponse } from '../support/http-client';
import { BY_ID, DETAILS, OPERATIONS, PAGED, SINGLES, STRICT, withQuery } from '../support/operations';
import { startScriptedService, useScriptedService } from '../support/service';
import { parseStringList } from '../support/structured-field';
import { status } from '../support/upstream/responses';
import { PATIENT } from '../support/patient';

/** The listed names with their suggestions; `undefined` without the header. */
function ignoredIn({ headers }: HttpResponse): [name: string, suggestion: string | true | undefined][] | undefined {
  const header = headers['shipping-ignored-parameters'] as string | undefined;
  if (header === undefined) return undefined;
  return parseStringList(header).map(({ text, parameters }) => [text, parameters['did-you-mean']]);
}

describe('D38 ignored parameters', () => {
  const scripted = useScriptedService({
    ...PATIENT,
    EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
    CORS_ORIGINS: 'https://shop.example.com',
  });
  const ask = (request: string, headers: Record<string, string> = {}) => scripted.service.request(request, headers);

  it.each(OPERATIONS)('D38 $name names each ignored parameter', async (operation) => {
    const response = await ask(withQuery(operation.request, 'colour=red&x%22y=&colour=blue'));
    expectAnswer(operation, response);
    expect(ignoredIn(response)).toEqual([['colour', undefined], ['x"y', undefined]]); // prettier-ignore
  });

  it.each(OPERATIONS)('D38 $name has no header where nothing is ignored', async (operation) => {
    expect(ignoredIn(await ask(operation.request))).toBeUndefined();
    expect(ignoredIn(await ask(withQuery(operation.request, '=1&%C3%A9=1')))).toBeUndefined();
  });

  it.each([
    ['page=2', 'page', 'PageNumber'],
    ['from_date=2026-01-01', 'from_date', 'FromDate'],
    ['PageNumber[]=2', 'PageNumber[]', 'PageNumber'],
    ['sort-by=Status', 'sort-by', 'SortBy'],
    ['filter=x', 'filter', undefined],
  ])('D38 GetShippingPagedList?%s', async (query, name, suggestion) => {
    const response = await ask(`GetShippingPagedList?${query}`);
    expectAnswer(PAGED, response, 'complete');
    expect(ignoredIn(response)).toEqual([[name, suggestion]]);
  });

  it('D38 an operation suggests its own parameters only', async () => {
    expect(ignoredIn(await ask('GetShippingDetails?from_date=x&PageSize=1'))).toEqual([
      ['from_date', 'FromDate'],
      ['PageSize', undefined],
    ]);
    expect(ignoredIn(await ask('GetShippingDetails?Status_=x&PageNum=1'))).toEqual([
      ['Status_', 'Status'],
      ['PageNum', undefined],
    ]);
    expect(ignoredIn(await ask(withQuery(BY_ID.request, 'from_date=x')))).toEqual([['from_date', undefined]]);
  });

  it('D38 lists ten of a hundred', async () => {
    const query = Array.from({ length: 100 }, (_, index) => `u${index}=`).join('&');
    expect(ignoredIn(await ask(`GetShippingDetails?${query}`))).toHaveLength(10);
  });

  it.each(OPERATIONS)('D38 and D24 $name: a 304 and HEAD have it too', async (operation) => {
    const request = withQuery(operation.request, 'colour=red');
    const { etag } = (await ask(request)).headers;
    const unchanged = await ask(request, { 'If-None-Match': String(etag) });
    expect([unchanged.status, ignoredIn(unchanged)]).toEqual([304, [['colour', undefined]]]);
    const head = await scripted.service.get(`/api/Shipping/${request}`, { method: 'HEAD' });
    expect([head.status, ignoredIn(head)]).toEqual([200, [['colour', undefined]]]);
  });

  it('D38 errors have it where parameters were read', async () => {
    const invalid = await ask('GetShippingDetails?Status=x&colour=red');
    expectBadInput(invalid, 'Status');
    const plain = await ask('GetShippingPagedList?PageNumber=0&colour=red');
    expectPlainMessage(plain, PAGE_NUMBER_MESSAGE);
    for (const response of [invalid, plain]) expect(ignoredIn(response)).toEqual([['colour', undefined]]);
  });

  it.each(SINGLES)('D38 $name: 404 and 500 have it', async (operation) => {
    const request = withQuery(operation.request, 'colour=red');
    for (const code of [404, 500]) {
      scripted.upstream.respondWith(status(code));
      const response = await ask(request);
      expectProblem(response, code);
      expect(ignoredIn(response)).toEqual([['colour', undefined]]);
    }
  });

  it('D40 more than 100 parameters are not read, and none is named', async () => {
    const response = await ask(`GetShippingDetails?${'a&'.repeat(101)}`);
    expectBadInput(response);
    expect(ignoredIn(response)).toBeUndefined();
  });

  it('D38 a request that is refused before its parameters are read names none', async () => {
    const { service, close } = await startScriptedService({ ...PATIENT, RATE_LIMIT_MAX: '1' });
    try {
      expect(ignoredIn(await service.request('GetShippingDetails?colour=red'))).toEqual([['colour', undefined]]);
      const refused = await service.request('GetShippingDetails?colour=red');
      expect([refused.status, ignoredIn(refused)]).toEqual([429, undefined]);
    } finally {
      await close();
    }
  });

  it.each(OPERATIONS)('D2 and D38 $name: strict clients get 400, and a suggestion only where a name is near', async (operation) => {
    const response = await ask(withQuery(operation.request, 'colour=red&Statuss=x'), STRICT);
    expectBadInput(response, 'colour', /^is not a parameter of this operation$/);
    const near = operation === BY_ID ? /^is not a parameter of this operation$/ : /; did you mean Status\?$/;
    expectBadInput(response, 'Statuss', near);
    expect(ignoredIn(response)).toBeUndefined();
  }); // prettier-ignore

  it('D38 pages of allowed origins may read it', async () => {
    const response = await ask(withQuery(DETAILS.request, 'colour=red'), { Origin: 'https://shop.example.com' });
    const exposed = String(response.headers['access-control-expose-headers']).split(', ');
    expect(exposed).toContain('Shipping-Ignored-Parameters');
  });

  describe('D53', () => {
    const header = async (request: string, headers?: Record<string, string>): Promise<unknown> => {
      const response = await ask(request, headers);
      expect(response.status).toBe(200);
      return response.headers['shipping-ignored-parameters'];
    };

    it.each([
      ['SortBy=price', '"SortBy";value'],
      ['sortby=Price&SortDirection=down', '"SortBy";value, "SortDirection";value'],
      ['SortBy=', '"SortBy";value'],
      ['colour=red&SortDirection=descending', '"colour", "SortDirection";value'],
      ['SortBy=TRACKINGNUMBER&SortDirection=DESC', undefined],
      ['SortDirection=', undefined],
    ])('D53 GetShippingPagedList?%s: %s', async (query, expected) => {
      expect(await header(`GetShippingPagedList?${query}`)).toBe(expected);
      if (!query.includes('colour')) expect(await header(`GetShippingPagedList?${query}`, STRICT)).toBe(expected);
    });

    it.each([
      ['GetShippingDetails?PageSize=5&limits=1', '"PageSize";of="GetShippingPagedList", "limits";did-you-mean="Limit"'],
      ['GetShippingDetails?TRACKINGNUMBER=A', '"TRACKINGNUMBER";of="GetShippingSingle"'],
      ['GetShippingPagedList?Limit=5', '"Limit";of="GetShippingDetails"'],
      ['GetShippingPagedList?id=SHP-1', '"id";of="GetShippingSingle"'],
      [
        'GetShippingInfoById/SHP-1?Status=Created&SortBy=x',
        '"Status";of="GetShippingSingle", "SortBy";of="GetShippingPagedList"',
      ],
      ['GetShippingSingle?Id=SHP-1&SearchTerm=x', '"SearchTerm";of="GetShippingDetails"'],
    ])('D53 %s: %s', async (request, expected) => {
      expect(await header(request)).toBe(expected);
    });
  });
});
