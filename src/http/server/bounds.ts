import type { IncomingMessage } from 'node:http';
import { getHeapStatistics } from 'node:v8';

/** The largest size of the headers of a request, its request line included, in bytes; beyond it the response is 431. */
export const MAX_HEADER_BYTES = 16_384;

const HEAP_BYTES = getHeapStatistics().heap_size_limit;

/**
 * Memory that all unread responses and pipelined requests may take together, in bytes (D59): 128 MiB, or a quarter of
 * V8's heap where that is less, so that clients that do not read cannot fill the heap.
 */
export const MAX_UNSENT_BYTES = Math.min(134_217_728, Math.floor(HEAP_BYTES / 4));

/** Compressors that run at a time, whatever the number of bodies that wait for one (D59). */
export const MAX_COMPRESSING = 4;
/** Memory of the compressors and of what they have made so far, outside the heap. */
export const COMPRESSORS_BYTES = MAX_COMPRESSING * 5_242_880;

/** The limits that Node's HTTP server enforces; those of `BoundedServer` are the other constants of this file. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 10_000,
  // Balancers keep idle connections for 60 s by default (AWS ALB), and have to close them first: a request that
  // is on its way while the service closes the connection would fail.
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 1000,
  // Node would respond to a request without `Host` by itself, without passing it on, so that it would not be counted
  // (D59); `rejectionOf` rejects it.
  requireHostHeader: false,
  // Node of version 24 and later asks this of a request that wants an upgrade. One with a body is passed on as if it
  // wanted none: what is pipelined behind a body may be lost (RFC 9112, 9.3.2).
  shouldUpgradeCallback: (request: IncomingMessage): boolean => !hasBody(request),
};
/**
 * Node reports a connection without traffic after so many milliseconds, again and again. It reports nothing while the
 * client reads, though slowly, because each byte that has left counts as traffic.
 */
export const SILENCE_MS = 1000;
/** A connection whose client reads no byte of a response that waits is closed after so many milliseconds (D59). */
export const MAX_SILENCE_MS = 30_000;
/** How often the server looks at what its connections hold; it looks sooner where they hold so much more. */
export const LOOK_MS = 100;
export const MAX_ADDED_BYTES = MAX_UNSENT_BYTES / 8;
/**
 * Pipelined requests that may wait on one connection before its socket is paused. A lower number would pause sockets
 * earlier, and a paused socket does not report that its client has left: the upstream call for its request would go on
 * although its response has no recipient.
 */
export const MAX_WAITING = 32;

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
 * The status for a request that Node's parser accepts and that must not be routed: 431 for too many header fields; 400
 * for no `Host` field in HTTP/1.1, and for several, because Node takes the first of them and a balancer in front may
 * have taken another; 503 for a request whose body was dropped while it waited.
 */
export function rejectionOf(request: IncomingMessage): 400 | 431 | 503 | undefined {
  const { rawHeaders, httpVersion } = request;
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) return 431;
  // Names have even indices, values odd ones.
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 400;
  return request.readableFlowing === true ? 503 : undefined;
}

/** Whether a request has a body: it announces a length or chunks (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Memory of one header field without its characters: name and value are two strings with two places in an array. */
const HEADER_FIELD_BYTES = 96;
/** Memory of a request without its header fields: request, response and parser state; measured at 1.7 kB. */
const REQUEST_BYTES = 2048;

/**
 * Memory of a request behind others. Header fields count by number and by length, because empty ones take memory, too.
 * A body in chunks may be followed by as many fields again (trailers), which have not arrived yet.
 */
export function bytesOfRequest(request: IncomingMessage): number {
  const { rawHeaders, url = '' } = request;
  let bytes = REQUEST_BYTES + url.length + (rawHeaders.length / 2) * HEADER_FIELD_BYTES;
  for (const text of rawHeaders) bytes += text.length;
  return hasBody(request) ? bytes + CONNECTION_BYTES : bytes;
}
