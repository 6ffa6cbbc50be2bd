import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';

const HEAP_BYTES = getHeapStatistics().heap_size_limit;

/** Responses that are not read and requests that wait may hold so much memory, a quarter of V8's heap at most. */
export const MAX_UNSENT_BYTES = Math.min(134_217_728, Math.floor(HEAP_BYTES / 4));

/** More connections than requests are accepted, because most connections are idle between two requests. */
const CONNECTIONS_PER_REQUEST = 4;
/** So many connections are always accepted, so that probes and metrics find room. */
const MIN_CONNECTIONS = 256;
/** What a request of 16 KiB holds whose hundred header fields have arrived and whose end has not, as measured. */
const CONNECTION_BYTES = 32_768;

/** Connections that a server accepts: all of them fit a third of V8's heap with a half-sent request each. */
export function maxConnectionsOf(maxActiveRequests: number): number {
  const fitting = Math.floor(HEAP_BYTES / 3 / CONNECTION_BYTES);
  return Math.max(MIN_CONNECTIONS, Math.min(CONNECTIONS_PER_REQUEST * maxActiveRequests, fitting));
}

/** A request may have so many header fields. */
export const MAX_HEADER_FIELDS = 100;
/** The status for a request that Node's parser accepts and nobody should route, as a balancer may read it differently. */
export function refusalOf({ rawHeaders }: IncomingMessage): 400 | 431 | undefined {
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) return 431;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? 400 : undefined;
}

/** Two strings of V8 and their places in `rawHeaders`, without their characters. */
const HEADER_FIELD_BYTES = 96;
/** Request, response and parser state without header fields; measured at 1.7 kB. */
const REQUEST_BYTES = 2048;

/** Memory of a request that waits: its fields count by number and by length. */
export function bytesOfRequest({ rawHeaders, url = '' }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length + (rawHeaders.length / 2) * HEADER_FIELD_BYTES;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Memory of a stream that is not read: 64 KiB of its own and 64 KiB in the response. */
const STREAM_BYTES = 131_072;

/** From so many characters on, a text is held as bytes. */
const LONG_TEXT = 65_536;

/**
 * A long text as bytes, which are outside V8's heap: Node lets go of the responses of a closed connection only after all
 * that has arrived is read, and by then so many more may be made that the heap is full.
 */
export function heldOutsideHeap(payload: unknown): unknown {
  return typeof payload === 'string' && payload.length >= LONG_TEXT ? Buffer.from(payload) : payload;
}

/** Memory of a body: V8 holds a text with two bytes a character where one of them is not of Latin-1. */
export function bytesOfBody(payload: unknown): number {
  if (typeof payload === 'string') {
    const bytes = Buffer.byteLength(payload);
    // A text of ASCII, the usual one, has as many bytes as characters and is not searched.
    const isWide = bytes !== payload.length && /[^\0-\xff]/.test(payload);
    return isWide ? Math.max(bytes, 2 * payload.length) : bytes;
  }
  if (Buffer.isBuffer(payload)) return payload.length;
  return payload instanceof Readable ? STREAM_BYTES : 0;
}
