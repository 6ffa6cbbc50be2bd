import { status } from '../../testing/upstream/responses';
import { expectBadInput, expectPlainMessage, expectProblem, expectResponse } from '../support/expected';
import { OPERATIONS, rowsFor, SINGLES, STRICT, withQuery } from '../support/operations';
import { type HttpResponse, ONCE, useScriptedService } from '../support/service';

const ignoredIn = ({ headers }: HttpResponse): unknown => headers['shipping-ignored-parameters'];
const TEN = Array.from({ length: 10 }, (_, index) => `"u${index}"`).join(', ');

const scripted = useScriptedService(ONCE);
const ask = (request: string, headers: Record<string, string> = {}) => scripted.service.request(request, headers);

const rows: [query: string, header: string | undefined][] = [
  ['', undefined],
  ['colour=red&x%22y%5C=&colour=blue&+a=1', '"colour", "x\\"y\\\\", " a"'],
  ['statuss=x&SearchTerms=y', '"statuss", "SearchTerms"'],
  [`=1&%C3%A9=1&%09=1&${'a'.repeat(65)}=1`, undefined],
  [`${'a'.repeat(64)}=`, `"${'a'.repeat(64)}"`],
  [`${Array.from({ length: 10 }, (_, index) => `%C3%A9${index}=`).join('&')}&z=`, '"z"'],
  [Array.from({ length: 90 }, (_, index) => `u${index}=`).join('&'), TEN],
];
it.each(rowsFor(OPERATIONS, rows))('D2 %s: %#', async (_, query, header, { request }) => {
  const response = await ask(withQuery(request, query));
  expectResponse(response);
  expect(ignoredIn(response)).toBe(header);
});

it.each(OPERATIONS)('D2 $name: a body is named, and 400 for strict clients', async ({ request }) => {
  const target = `/api/Shipping/${request}`;
  const lengths: Record<string, string>[] = [{ 'Content-Length': '2' }, { 'Transfer-Encoding': 'chunked' }];
  for (const length of lengths) {
    const response = await scripted.service.get(target, { body: '{}', headers: length });
    expect([response.status, ignoredIn(response)]).toEqual([200, '"body"']);
    const strict = await scripted.service.get(target, { body: '{}', headers: { ...length, ...STRICT } });
    expectBadInput(strict, 'body', /^has no effect on a GET$/);
  }
  expect(ignoredIn(await scripted.service.get(target, { headers: { 'Content-Length': '0' } }))).toBeUndefined();
});

it('D8 the 400 of a strict client names the keys', async () => {
  const keys = /^must be one of CreatedDate, Status, TrackingNumber$/;
  expectBadInput(await ask('GetShippingPagedList?SortBy=price', STRICT), 'SortBy', keys);
  const directions = /^must be one of desc, asc$/;
  expectBadInput(await ask('GetShippingPagedList?SortDirection=up', STRICT), 'SortDirection', directions);
  expectPlainMessage(await ask('GetShippingPagedList?SortBy=price&PageNumber=0', STRICT), 'PageNumber');
});

it.each(['GetShippingInfoById', 'GetShippingInfoById/'])('D10 %s is 400', async (request) => {
  expectBadInput(await ask(request), 'id');
  expect(scripted.upstream.calls).toEqual([]);
});

it.each(OPERATIONS)('D2 and D24 $name: a 304 and HEAD have it too', async ({ request }) => {
  const target = withQuery(request, 'colour=red');
  const { etag } = (await ask(target)).headers;
  const unchanged = await ask(target, { 'If-None-Match': String(etag) });
  expect([unchanged.status, ignoredIn(unchanged)]).toEqual([304, '"colour"']);
  const head = await scripted.service.get(`/api/Shipping/${target}`, { method: 'HEAD' });
  expect([head.status, ignoredIn(head)]).toEqual([200, '"colour"']);
});

it('D2 a 400 has it', async () => {
  const invalid = await ask('GetShippingDetails?Status=x&colour=red');
  expectBadInput(invalid, 'Status');
  const plain = await ask('GetShippingPagedList?PageNumber=0&colour=red');
  expectPlainMessage(plain, 'PageNumber');
  expect([ignoredIn(invalid), ignoredIn(plain)]).toEqual(['"colour"', '"colour"']);
});

it.each(SINGLES)('D2 $name: 404 and 500 have it', async ({ request }) => {
  for (const code of [404, 500]) {
    scripted.upstream.respondWith(status(code));
    const response = await ask(withQuery(request, 'colour=red'));
    expectProblem(response, code);
    expect(ignoredIn(response)).toBe('"colour"');
  }
});
