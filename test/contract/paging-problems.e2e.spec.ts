import {
  expectAnswer,
  expectBadInput,
  expectPlainMessage,
  PAGE_NUMBER_MESSAGE,
  PAGE_SIZE_MESSAGE,
} from '../support/expectations';
import type { HttpResponse } from '../support/http-client';
import { BY_ID, DETAILS, OPERATIONS, PAGED, SINGLE, STRICT } from '../support/operations';
import { useScriptedService } from '../support/service';
import { PATIENT } from '../support/patient';

const PROBLEM = 'application/problem+json';

const varyOf = ({ headers }: HttpResponse): string[] => (headers.vary ?? '').toLowerCase().split(/\s*,\s*/);

describe('D37 paging errors as problems', () => {
  const scripted = useScriptedService(PATIENT);
  const ask = (request: string, headers: Record<string, string> = {}) => scripted.service.request(request, headers);

  const invalid = [
    ['PageNumber=0', PAGE_NUMBER_MESSAGE, { PageNumber: PAGE_NUMBER_MESSAGE }],
    ['PageNumber=1&pagenumber=1', PAGE_NUMBER_MESSAGE, { PageNumber: PAGE_NUMBER_MESSAGE }],
    ['PageSize=101', PAGE_SIZE_MESSAGE, { PageSize: PAGE_SIZE_MESSAGE }],
    [
      'PageSize=0&PageNumber=x&Status=y&OrderId=a&OrderId=b',
      PAGE_NUMBER_MESSAGE,
      {
        PageNumber: PAGE_NUMBER_MESSAGE,
        PageSize: PAGE_SIZE_MESSAGE,
        Status: expect.stringMatching(/^must be one of/),
        OrderId: 'is given more than once',
      },
    ],
  ] as const;

  it.each(invalid)('D37 and D54 GetShippingPagedList?%s', async (query, message, errors) => {
    for (const Accept of [PROBLEM, `application/json, ${PROBLEM};q=0.2, text/plain`, PROBLEM.toUpperCase()]) {
      const response = await ask(`GetShippingPagedList?${query}`, { Accept });
      expectBadInput(response);
      const problem = response.json() as { detail: string; errors: { parameter: string; message: string }[] };
      expect(problem).toMatchObject({ code: 'invalid-parameters', detail: message });
      const listed = problem.errors.map(({ parameter, message: text }) => [parameter, text]);
      expect(Object.fromEntries(listed)).toEqual(errors);
      expect(problem.errors).toHaveLength(Object.keys(errors).length);
      expect(varyOf(response)).toEqual(['prefer', 'accept-encoding', 'accept']);
    }
    expect(scripted.upstream.calls).toEqual([]);
  });

  it('D54 the paging values come first among more bad parameters than are listed', async () => {
    const query = Array.from({ length: 30 }, (_, index) => `u${index}=1`).join('&');
    const response = await ask(`GetShippingPagedList?${query}&PageSize=0`, { ...STRICT, Accept: PROBLEM });
    const { errors } = response.json() as { errors: { parameter: string }[] };
    expect([errors[0]?.parameter, errors.length]).toEqual(['PageSize', 20]);
  });

  it.each(invalid)('D4 and D37 GetShippingPagedList?%s stays plain for all others', async (query, message) => {
    const others = ['*/*', 'application/*', 'application/json', 'text/html', `${PROBLEM};q=0`, `${PROBLEM}+x`];
    for (const headers of [{}, ...others.map((Accept) => ({ Accept }))]) {
      const response = await ask(`GetShippingPagedList?${query}`, headers);
      expectPlainMessage(response, message);
      expect(varyOf(response)).toEqual(['prefer', 'accept-encoding', 'accept']);
    }
  });

  it('D37 applies to strict clients too', async () => {
    const response = await ask('GetShippingPagedList?PageSize=0', { ...STRICT, Accept: PROBLEM });
    expectBadInput(response, 'PageSize');
    expect(response.headers['preference-applied']).toBe('handling=strict');
  });

  it.each(OPERATIONS)('D37 $name: a 200 and a 304 are the same for every Accept', async (operation) => {
    const plain = await ask(operation.request);
    for (const Accept of [PROBLEM, 'application/json']) {
      const response = await ask(operation.request, { Accept });
      expectAnswer(operation, response, 'complete');
      expect([response.body, response.headers.etag]).toEqual([plain.body, plain.headers.etag]);
      const unchanged = await ask(operation.request, { Accept, 'If-None-Match': String(plain.headers.etag) });
      expect(unchanged.status).toBe(304);
      for (const each of [response, unchanged]) expect(varyOf(each)).toEqual(['prefer', 'accept-encoding']);
    }
  });

  it.each([
    [SINGLE, 'GetShippingSingle'],
    [BY_ID, 'GetShippingInfoById/-'],
    [DETAILS, 'GetShippingDetails?Limit=0'],
    [PAGED, 'GetShippingPagedList?Status=x'],
  ])('D37 $name: other errors are problems whatever Accept is', async (_, request) => {
    for (const Accept of ['text/plain', PROBLEM]) {
      const response = await ask(request, { Accept });
      expectBadInput(response);
      expect(varyOf(response)).not.toContain('accept');
    }
  });
});
