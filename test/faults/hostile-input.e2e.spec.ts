import * as fc from 'fast-check';
import { useScriptedService } from '../support/service';
import { RawConnection } from './support/raw-connection';

/** Texts that parsers of HTTP, URLs and JSON treat specially. */
const PIECES = [
  ...['%', '%00', '%c3%28', '&', '[]', '..', '0x', '-1', '1e999', ' ', '"', '}', 'A'.repeat(300)],
  ...['\0', '\t', '\r', '\n', '\r\n', '\r\n\r\n', '\xef\xbb\xbf', '\x80', '\xff'],
];

const anyByte = fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte));
const piece = fc.oneof(fc.constantFrom(...PIECES), anyByte);
const place = fc.record({ at: fc.nat({ max: 2_000 }), length: fc.nat({ max: 16 }), piece });

/**
 * A valid text, one character a byte, with up to four changes: pieces inserted, put over others, removed or repeated; or
 * its end cut off.
 */
function anyMutationOf(valid: string): fc.Arbitrary<string> {
  const kind = fc.constantFrom('insert', 'overwrite', 'remove', 'repeat', 'cut');
  return fc.array(fc.tuple(kind, place), { maxLength: 4 }).map((changes) => changes.reduce(changed, valid));
}

function changed(text: string, [kind, place]: [string, { at: number; length: number; piece: string }]): string {
  const at = place.at % (text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (kind) {
    case 'insert':
      return before + place.piece + after;
    case 'overwrite':
      return before + place.piece + after.slice(place.piece.length);
    case 'remove':
      return before + after.slice(place.length);
    case 'repeat':
      return before + after.slice(0, place.length) + after;
    default:
      return before;
  }
}

describe('hostile input', () => {
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
});
