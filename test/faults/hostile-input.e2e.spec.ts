import * as fc from 'fast-check';
import { useScriptedService } from '../support/service';
import { RawConnection } from './support/raw-connection';

/** Texts that parsers of HTTP, URLs and JSON treat specially. */
const PIECES = [
  ...['', '%', '%00', '%c3%28', '&', '[]', '..', '0x', '-1', '1e999', ' ', '"', '}', 'A'.repeat(300)],
  ...['\0', '\t', '\r', '\n', '\r\n', '\r\n\r\n', '\xef\xbb\xbf', '\x80', '\xff'],
];

const anyByte = fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte));
const piece = fc.oneof(fc.constantFrom(...PIECES), anyByte);
const length = fc.oneof(fc.nat({ max: 16 }), fc.constantFrom(0, Infinity));
const change = fc.record({ at: fc.nat({ max: 2_000 }), length, piece, repeats: fc.boolean() });

/**
 * A valid text, one character a byte, with up to four changes: parts of it repeated or replaced, where pieces of no
 * length remove them, parts of no length insert pieces, and parts without end cut it off.
 */
function anyMutationOf(valid: string): fc.Arbitrary<string> {
  return fc.array(change, { maxLength: 4 }).map((changes) =>
    changes.reduce((text, { at: place, length, piece, repeats }) => {
      const at = place % (text.length + 1);
      const part = text.slice(at, at + length);
      return text.slice(0, at) + (repeats ? part + part : piece) + text.slice(at + part.length);
    }, valid),
  );
}

const scripted = useScriptedService();

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
