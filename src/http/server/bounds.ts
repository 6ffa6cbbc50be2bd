import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import { MAX_HEADER_BYTES } from '../../common/bounds';
import type { Held } from './held-memory';

const HEAP_BYTES = getHeapStatistics().heap_size_limit;

/**
 * Memory that all unread responses and waiting requests may take together, in bytes (D59): 128 MiB, or a quarter of
 * V8's heap where that is less, so that clients that do not read cannot fill the heap.
 */
export const MAX_UNSENT_BYTES = Math.min(134_217_728, Math.floor(HEAP_BYTES / 4));

/**
 * Memory of the compressors that run at a time, in bytes; measured with four Brotli compressors and a window of 256 KiB.
 */
export const COMPRESSORS_BYTES = 4 * 5_242_880;

/** The headers of a request, and a body that no route reads, have to arrive within this time. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** The limits that Node's HTTP server enforces; those of `BoundedServer` are the other constants of this file. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  // Time for a request with its body. It is the default of Node, long enough for uploads to routes that an application
  // adds.
  requestTimeout: 300_000,
  // Balancers keep idle connections for 60 s by default (AWS ALB, nginx), and have to close them first: a request that
  // is on its way while the service closes the connection would fail.
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 1000,
};
/**
 * A connection whose client reads no byte of a response for this time, although a part of it waits to be read, is
 * closed (D59).
 */
export const UNREAD_RESPONSE_MS = 30_000;
/**
 * A connection without traffic is checked after so many milliseconds, again and again. Node does not report that a
 * client has read a part of a response, but such traffic delays the next check: by this delay, `BoundedServer.silent`
 * recognises that the client is reading.
 */
export const SILENCE_MS = 1000;
/**
 * Requests of one connection that may be in progress (D34): others wait, so that it cannot use up
 * `MAX_ACTIVE_REQUESTS`.
 */
export const MAX_PIPELINED = 32;
/**
 * Pipelined requests that may wait on one connection before its socket is paused. A lower number would pause sockets
 * earlier, and a paused socket does not report that its client has left: the upstream calls for its requests would go
 * on although their responses have no recipient.
 */
export const MAX_WAITING = 256;

/** More connections than requests are accepted, because most connections are idle between two requests. */
const CONNECTIONS_PER_REQUEST = 4;
/**
 * So many connections are accepted even where `MAX_ACTIVE_REQUESTS` is small, so that probes and metrics can connect.
 * The management port, which serves only these, accepts as many.
 */
const MIN_CONNECTIONS = 256;
/**
 * Heap of a connection in the worst case, as measured: 16 KiB of headers have arrived, in a hundred fields, and their
 * end has not.
 */
const CONNECTION_BYTES = 32_768;

/** The number of connections that a server accepts: a half-sent request on each takes a third of V8's heap at most. */
export function maxConnectionsOf(maxActiveRequests: number): number {
  const fitting = Math.floor(HEAP_BYTES / 3 / CONNECTION_BYTES);
  return Math.max(MIN_CONNECTIONS, Math.min(CONNECTIONS_PER_REQUEST * maxActiveRequests, fitting));
}

/** The number of header fields that a request may have (D34). */
export const MAX_HEADER_FIELDS = 100;
/**
 * The status for a request that Node's parser accepts and that must not be routed: 431 for too many header fields, and
 * 400 for several `Host` fields, because Node takes the first of them and a balancer in front may have taken another.
 */
export function refusalOf({ rawHeaders }: IncomingMessage): 400 | 431 | undefined {
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) return 431;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? 400 : undefined;
}

/** Memory of one header field without its characters: name and value are two strings with two places in an array. */
const HEADER_FIELD_BYTES = 96;
/** Memory of a waiting request without its header fields: request, response and parser state; measured at 1.7 kB. */
const REQUEST_BYTES = 2048;

/** Memory of a request that waits. Header fields count by number and by length, because empty ones take memory, too. */
export function bytesOfRequest({ rawHeaders, url = '' }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length + (rawHeaders.length / 2) * HEADER_FIELD_BYTES;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Memory of a body that is a stream and is not read: 64 KiB are buffered by the stream and 64 KiB by the response. */
const STREAM_BYTES = 131_072;

/** Texts of at least so many characters are sent as bytes, see {@link heldOutsideHeap}. */
const LONG_TEXT = 65_536;

/**
 * Turns a long text into bytes, which V8 keeps outside its heap. Node releases the unread responses of a closed
 * connection only after it has processed all that had arrived; until then more responses may be made, and as texts they
 * would fill the heap and end the process.
 */
export function heldOutsideHeap<Payload>(payload: Payload): Payload | Buffer {
  return typeof payload === 'string' && payload.length >= LONG_TEXT ? Buffer.from(payload) : payload;
}

/**
 * Memory of the objects from which a long JSON text was made, by the length of the text: a list of 10,000 records has
 * 2.9 MB as JSON and takes 8 MB as objects. Nest keeps them until the response is sent.
 */
const OBJECTS_PER_TEXT = 3;

/** Memory of the objects that a payload was made from; small ones do not count. */
export function bytesOfObjects(payload: unknown): number {
  return typeof payload === 'string' && payload.length >= LONG_TEXT ? OBJECTS_PER_TEXT * payload.length : 0;
}

/**
 * Memory of a body. V8 stores a text with two bytes for each character where one character is not of Latin-1.
 */
export function memoryOfBody(payload: unknown): Held {
  if (typeof payload === 'string') {
    const bytes = Buffer.byteLength(payload);
    // The search takes time. Texts of ASCII, the usual ones, need none: they have as many bytes as characters.
    const isWide = bytes !== payload.length && /[^\0-\xff]/.test(payload);
    return isWide ? Math.max(bytes, 2 * payload.length) : bytes;
  }
  if (Buffer.isBuffer(payload)) return payload;
  return payload instanceof Readable ? STREAM_BYTES : 0;
}
