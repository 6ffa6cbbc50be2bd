import { gzipSync } from 'node:zlib';
import { type Behaviour, responseHead } from './exchange';
import { wireBody } from './records';
import { bytes, json, JSON_TYPE, jsonBytes, jsonText } from './responses';

/** Upstream responses that arrive completely, over a connection that works, and whose content is wrong or hostile. */

const PIECE_BYTES = 64 * 1024;

/** Text that is not JSON, with the media type of JSON. */
export function badJson(): Behaviour {
  return jsonText('{"Items": [}, nonsense');
}

/**
 * Nothing but arrays inside arrays: `JSON.parse` reads them, and a recursive function over them overflows the stack.
 */
export function deepJson(depth: number): Behaviour {
  return jsonText('['.repeat(depth) + ']'.repeat(depth));
}

/** Valid JSON of a shape that no operation expects. */
export function wrongShape(value: unknown = ['not', 'what', 'was', 'asked']): Behaviour {
  return json(value);
}

/** A gzip stream that stops half-way; the response itself is complete. */
export function truncatedGzip(): Behaviour {
  const whole = gzipSync(jsonBytes(wireBody()));
  return bytes(whole.subarray(0, whole.length / 2), { ...JSON_TYPE, 'Content-Encoding': 'gzip' });
}

/**
 * A response that is valid for every operation, with `Content-Length`.
 *
 * @param size exact size of the body in bytes, at least 4 KiB
 */
export function oversized(size = 6 * 1024 * 1024): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write(responseHead(200, { ...JSON_TYPE, 'Content-Length': String(size) }));
      for (const piece of padded(size)) await exchange.write(piece);
      exchange.close();
    },
  };
}

/** A valid response with `lines` additional header fields of 8 KiB each. */
export function hugeHeaders(lines = 32): Behaviour {
  const headers = Array.from({ length: lines }, (_, index) => [`X-Padding-${index}`, 'x'.repeat(8 * 1024)] as const);
  return json(wireBody(), { headers: Object.fromEntries(headers) });
}

/** Bytes that are not HTTP, then the end of the connection. */
export function garbageBytes(): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write(Buffer.from(Array.from({ length: 512 }, (_, index) => 0x80 | ((index * 37) & 0x7f))));
      exchange.close();
    },
  };
}

/** A valid response of exactly `size` bytes, in pieces. */
function* padded(size: number): Generator<Buffer> {
  const start = Buffer.from(`${JSON.stringify(wireBody()).slice(0, -1)},"Padding":"`);
  const end = Buffer.from('"}');
  yield start;
  const piece = Buffer.alloc(PIECE_BYTES, '0');
  for (let left = size - start.length - end.length; left > 0; left -= PIECE_BYTES) yield piece.subarray(0, left);
  yield end;
}
