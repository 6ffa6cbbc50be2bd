import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { bytes, json, JSON_TYPE, jsonBytes, jsonText } from './responses';
import { type Behaviour, chunk, LAST_CHUNK, responseHead } from './exchange';
import { anyReply, pagedReply, wireItem, wireRecord } from './records';

/** Answers that arrive whole, over a sound connection, and are wrong or hostile in what they hold. */

const GZIPPED = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
const PIECE_BYTES = 64 * 1024;

/** Text that is no JSON, called JSON. */
export function badJson(): Behaviour {
  return jsonText('{"Items": [}, nonsense');
}

/** The first half of a JSON text, sent as if it were all. */
export function truncatedJson(body: unknown = anyReply()): Behaviour {
  const whole = JSON.stringify(body);
  return jsonText(whole.slice(0, Math.floor(whole.length / 2)));
}

/** Nothing but arrays inside arrays: it parses, and overflows code that follows it recursively. */
export function deepJson(depth = 200_000): Behaviour {
  return jsonText(nested(depth));
}

/** A reply sound for every operation but for such arrays as a record's address, and in a field that nobody knows. */
export function deepField(depth = 200_000): Behaviour {
  const record = wireRecord({ ShippingAddress: '<nested>', Extra: '<nested>' });
  const reply = JSON.stringify(anyReply({ ...record, Items: [record], ShippingDetails: [record] }));
  return jsonText(reply.replaceAll('"<nested>"', nested(depth)));
}

/** Sound JSON of a shape that no operation expects. */
export function wrongShape(value: unknown = ['not', 'what', 'was', 'asked']): Behaviour {
  return json(value);
}

/** A gzip stream that stops half-way; the response itself is complete. */
export function truncatedGzip(body: unknown = anyReply()): Behaviour {
  const whole = gzipSync(jsonBytes(body));
  return bytes(whole.subarray(0, Math.floor(whole.length / 2)), GZIPPED);
}

/** Bytes called gzip that are none. */
export function garbageGzip(): Behaviour {
  return bytes(garbage(512), GZIPPED);
}

/** A reply sound for every operation, of exactly so many bytes (at least 4 KiB) when decoded, about a thousandth of that on the wire. */
export function gzipBomb(decodedBytes = 100 * 1024 * 1024): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.writeHead(200, { ...GZIPPED, 'Transfer-Encoding': 'chunked' });
      const gzipped = Readable.from(padded(decodedBytes)).pipe(createGzip());
      for await (const piece of gzipped) {
        await exchange.write(chunk(piece as Buffer));
        if (exchange.gone.aborted) {
          return;
        }
      }
      await exchange.write(LAST_CHUNK);
      exchange.closeIfAsked();
    },
  };
}

/** A reply sound for every operation, of exactly so many bytes (at least 4 KiB), its length announced. */
export function oversized(size = 6 * 1024 * 1024): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.writeHead(200, { ...JSON_TYPE, 'Content-Length': String(size) });
      for (const piece of padded(size)) {
        await exchange.write(piece);
      }
      exchange.closeIfAsked();
    },
  };
}

/** A sound reply behind so many bytes of header lines, in lines of at most 8 KiB. */
export function hugeHeaders(size = 64 * 1024): Behaviour {
  const headers: Record<string, string> = {};
  for (let left = size, line = 1; left > 0; line++) {
    const framing = `X-Padding-${line}: \r\n`.length;
    const length = Math.min(left, 8 * 1024);
    headers[`X-Padding-${line}`] = 'x'.repeat(Math.max(0, length - framing));
    left -= length;
  }
  return json(anyReply(), { headers });
}

/** Bytes that are no HTTP, then the end of the connection. */
export function garbageBytes(): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write(garbage(512));
      exchange.close();
    },
  };
}

/** A chunked body whose first chunk size is no number. */
export function badChunkSize(): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.writeHead(200, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' });
      await exchange.write('zz\r\n{}\r\n0\r\n\r\n');
      exchange.close();
    },
  };
}

/** A sound reply that is followed by a second, unasked-for one on the same connection. */
export function answersTwice(body: unknown = anyReply(), second: unknown = { Id: 'SMUGGLED' }): Behaviour {
  return {
    perform: async (exchange) => {
      const responses = [body, second].map(jsonBytes).map((content) => {
        const head = responseHead(200, { ...JSON_TYPE, 'Content-Length': String(content.length) });
        return Buffer.concat([Buffer.from(head), content]);
      });
      await exchange.write(Buffer.concat(responses));
    },
  };
}

/** A sound reply behind a byte order mark. */
export function byteOrderMark(body: unknown = anyReply()): Behaviour {
  return jsonText(`\uFEFF${JSON.stringify(body)}`);
}

/** A sound reply whose object and records also hold `__proto__`, `constructor` and `prototype` as keys. */
export function protoKeys(): Behaviour {
  const poison = '"__proto__":{"polluted":true,"Status":"delivered"},"constructor":{"prototype":{"polluted":true}},';
  return jsonText(JSON.stringify(anyReply()).replaceAll('{"Id":"SHP-1"', `{${poison}"Id":"SHP-1"`));
}

/** A sound reply in which keys occur twice: records say `SHP-FIRST` and then `SHP-1`; the lists are empty and then not. */
export function duplicateKeys(): Behaviour {
  const reply = JSON.stringify(anyReply())
    .replaceAll('{"Id":"SHP-1"', '{"Id":"SHP-FIRST","Id":"SHP-1"')
    .replace('"Items":[', '"Items":[],"Items":[')
    .replace('"ShippingDetails":[', '"ShippingDetails":[],"ShippingDetails":[');
  return jsonText(reply);
}

/** A reply whose `OrderId` and `Quantity` are 9007199254740993, an integer that JSON.parse rounds. */
export function unsafeIntegers(): Behaviour {
  const unsafe = '<unsafe>';
  const record = wireRecord({ OrderId: unsafe, ShippingItems: [wireItem({ Quantity: unsafe })] });
  const reply = JSON.stringify({ ...record, ...pagedReply([record]), ShippingDetails: [record] });
  return jsonText(reply.replaceAll(`"${unsafe}"`, '9007199254740993'));
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

/** Bytes that are the same every time and that no parser takes for anything. */
function garbage(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, index) => 0x80 | ((index * 37) & 0x7f)));
}

/** A sound reply of exactly so many bytes, in pieces. */
function* padded(size: number): Generator<Buffer> {
  const start = Buffer.from(`${JSON.stringify(anyReply()).slice(0, -1)},"Padding":"`);
  const end = Buffer.from('"}');
  yield start;
  const piece = Buffer.alloc(PIECE_BYTES, '0');
  for (let left = size - start.length - end.length; left > 0; left -= PIECE_BYTES) {
    yield piece.subarray(0, left);
  }
  yield end;
}
