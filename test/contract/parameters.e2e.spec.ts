import { expectBadInput, expectPlainMessage, expectResponse } from '../support/expected';
import { ONCE, useScriptedService } from '../support/service';

// One row for each rule: `parameters.requests.spec.ts` and `query-parameters.pipe.spec.ts` vary them.

const scripted = useScriptedService(ONCE);
const ask = (request: string) => scripted.service.request(request);

const ACCEPTED: [rule: string, request: string, sent: Record<string, string>][] = [
  ['D1 D3 any case, blanks around it', 'GetShippingDetails?oRDERiD=%20ORD-1%09', { OrderId: 'ORD-1' }],
  ['D5 a status in any case', 'GetShippingDetails?Status=iNTRANSIT', { Status: 'InTransit' }],
  ['D6 the end of a day', 'GetShippingDetails?ToDate=2026-07-31', { ToDate: '2026-07-31T23:59:59.999Z' }],
  [
    'D8 an unknown key',
    'GetShippingPagedList?SortBy=x&SortDirection=asc',
    { SortBy: 'CreatedDate', SortDirection: 'desc' },
  ],
  ['D31 the largest limit', 'GetShippingDetails?Limit=2147483647', { Limit: '10000' }],
];
it.each(ACCEPTED)('%s', async (_, request, sent) => {
  expectResponse(await ask(request));
  expect(Object.fromEntries(scripted.upstream.calls[0]?.params ?? [])).toMatchObject(sent);
});

const REFUSED: [rule: string, request: string, parameter: string, message: RegExp][] = [
  ['D1 twice', 'GetShippingDetails?OrderId=1&orderid=1', 'OrderId', /^is given more than once$/],
  ['D4 no integer', 'GetShippingDetails?Limit=1e1', 'Limit', /^must be an integer from 1 /],
  ['D5 no status', 'GetShippingSingle?Id=1&Status=Lost', 'Status', /^must be one of Created, /],
  ['D6 no such day', 'GetShippingPagedList?FromDate=2026-02-30', 'FromDate', /^names a day that does not exist$/],
  [
    'D6 ends first',
    'GetShippingDetails?FromDate=2026-02-01&ToDate=2026-01-31',
    'ToDate',
    /^must not be before FromDate$/,
  ],
  ['D7 too long', `GetShippingPagedList?SearchTerm=${'x'.repeat(201)}`, 'SearchTerm', /^must have at most 200 /],
  ['D7 a control character', 'GetShippingDetails?OrderId=a%00b', 'OrderId', /^must not contain control characters$/],
  ['D9 another path', 'GetShippingInfoById/%2e%2e', 'id', /^is not a valid shipping identifier$/],
  ['D11 no criterion', 'GetShippingSingle?Status=Created', 'Id', /^is missing; give at least one of /],
];
it.each(REFUSED)('%s', async (_, request, parameter, message) => {
  expectBadInput(await ask(request), parameter, message);
  expect(scripted.upstream.calls).toEqual([]);
});

it.each(['PageNumber', 'PageSize'] as const)('D4 %s has a message of its own', async (name) => {
  expectPlainMessage(await ask(`GetShippingPagedList?${name}=0`), name);
  expect(scripted.upstream.calls).toEqual([]);
});

it('D31 a list that has as many records as were asked for may be cut off', async () => {
  expect((await ask('GetShippingDetails?Limit=1')).headers['shipping-completeness']).toBe('complete;limit=1');
});
