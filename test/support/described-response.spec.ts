import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assertDescribed, type ActualResponse } from './described-response';
import { send } from './http-client';
import { mappedRecord } from './upstream/records';

const HEADERS = { 'x-request-id': 'REQ-1', vary: 'Prefer', 'cache-control': 'no-store' };
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json; charset=utf-8' };
const LIVE = { method: 'GET', target: '/health/live' };
const LIST = { method: 'GET', target: '/api/Shipping/GetShippingDetails?Limit=1' };
const PAGE = { method: 'GET', target: '/api/Shipping/GetShippingPagedList' };
const COMPLETE = { ...JSON_HEADERS, 'shipping-completeness': 'complete', 'cache-control': 'private, no-cache' };
const PROBLEM = { ...HEADERS, 'content-type': 'application/problem+json; charset=utf-8' };
const ALIVE: ActualResponse = { status: 200, headers: JSON_HEADERS, body: '{"status":"ok"}' };
const EMPTY: ActualResponse = { status: 200, headers: COMPLETE, body: '[]' };
const ITEM = mappedRecord({ body: 'list' }, { orderId: null, shippingAddress: '', trackingNumber: null });
const items = (...list: object[]): string => JSON.stringify(list);

describe('assertDescribed', () => {
  it.each([
    [LIVE, ALIVE],
    [{ method: 'HEAD', target: '/HEALTH/live/' }, { ...ALIVE, body: '' }],
    [LIST, EMPTY],
    [LIST, { ...EMPTY, body: items(ITEM) }],
    [{ ...LIST, target: 'http://host/api/shipping/getshippingdetails/' }, EMPTY],
    [LIST, { status: 304, headers: { ...COMPLETE, etag: undefined }, body: '' }],
    [PAGE, { status: 400, headers: { ...HEADERS, 'content-type': 'text/plain' }, body: 'Page size must be between 1 and 100' }],
    [{ method: 'OPTIONS', target: LIST.target }, { status: 204, headers: {}, body: '' }],
    [LIST, { ...EMPTY, body: undefined }],
  ])('lets pass %j answered %j', (request, answer) => {
    expect(() => { assertDescribed(request, answer); }).not.toThrow();
  }); // prettier-ignore

  it('accepts what is not documented', () => {
    for (const target of ['/docs', '/api/Shipping/GetShippingInfoById/a/b', '/health/livelier', '/metrics']) {
      expect(() => { assertDescribed({ method: 'GET', target }, { status: 418, headers: {}, body: 'x' }); }).not.toThrow(); // prettier-ignore
    }
  });

  it.each<[fault: string | RegExp, answer: ActualResponse, request?: { method: string; target: string }]>([
    ['status 202 of getShippingDetails is not documented', { ...EMPTY, status: 202 }],
    ['status 499 of getShippingInfoById is not documented', { ...ALIVE, status: 499 }, { method: 'GET', target: '/api/Shipping/GetShippingInfoById/' }],
    ['media type text/html of status 200 is not documented', { ...EMPTY, headers: { ...COMPLETE, 'content-type': 'text/html' } }],
    ['media type undefined', { ...EMPTY, headers: { ...COMPLETE, 'content-type': undefined } }],
    ['header X-Request-Id is missing', { ...EMPTY, headers: { ...COMPLETE, 'x-request-id': undefined } }],
    ['header Shipping-Completeness is missing', { ...EMPTY, headers: { ...COMPLETE, 'shipping-completeness': undefined } }],
    [/header Shipping-Completeness: "fine".*pattern/, { ...EMPTY, headers: { ...COMPLETE, 'shipping-completeness': 'fine' } }],
    [/header Vary: "Origin"/, { ...EMPTY, headers: { ...COMPLETE, vary: 'Origin' } }],
    ['header Link is not documented here', { ...EMPTY, headers: { ...COMPLETE, link: '</>; rel="next"' } }],
    ['header ETag is not documented here', { ...ALIVE, headers: { ...JSON_HEADERS, etag: '"x"' } }, LIVE],
    [/header Retry-After: "soon".*integer/, { status: 503, headers: { ...PROBLEM, 'retry-after': 'soon' }, body: '{}' }],
    ['the body is no JSON', { ...EMPTY, body: '[' }],
    [/the body .*must be array/, { ...EMPTY, body: '{}' }],
    [/the body \/0 must have required property 'isActive'/, { ...EMPTY, body: items({ ...ITEM, isActive: undefined }) }],
    [/the body \/0 must NOT have additional properties/, { ...EMPTY, body: items({ ...ITEM, createdBy: 'me' }) }],
    [/the body \/0\/status/, { ...EMPTY, body: items({ ...ITEM, status: 'Lost' }) }],
    [/the body \/0\/createdDate/, { ...EMPTY, body: items({ ...ITEM, createdDate: '2026-07-01' }) }],
    [/the body \/0\/totalWeight/, { ...EMPTY, body: items({ ...ITEM, totalWeight: '1' }) }],
    ['the body  must be equal to one of the allowed values', { status: 400, headers: { ...HEADERS, 'content-type': 'text/plain' }, body: 'No' }, PAGE],
    ['status 304 has a body', { status: 304, headers: COMPLETE, body: '[]' }],
    ['the answer to HEAD has a body', EMPTY, { ...LIST, method: 'HEAD' }],
    ['POST is answered 200', EMPTY, { ...LIST, method: 'POST' }],
  ])('names %s', (fault, answer, request = LIST) => {
    const act = (): void => { assertDescribed(request, answer); };
    expect(act).toThrow(`openapi.json does not describe the answer to ${request.method} ${request.target}`);
    expect(act).toThrow(fault);
  }); // prettier-ignore

  it('is called by the HTTP client of all end-to-end tests', async () => {
    const server = createServer((_, response) => response.writeHead(200, JSON_HEADERS).end('{"status":"splendid"}'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      await expect(send(`http://127.0.0.1:${port}`, '/health/live')).rejects.toThrow('the body /status');
      expect((await send(`http://127.0.0.1:${port}`, '/elsewhere')).status).toBe(200);
    } finally {
      server.close();
    }
  });
});
