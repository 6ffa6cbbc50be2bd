import { compile } from '@fastify/proxy-addr';
import { isIP } from 'node:net';

/** Names of networks that stand for several ranges of addresses. */
export const PROXY_RANGES = ['loopback', 'linklocal', 'uniquelocal'];

/** The items of a list, trimmed and without empty ones. */
export function split(list = '', separator = ','): string[] {
  return list
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** An origin as browsers send it. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}

/** Whether a path starts with one `/` and reaches a server exactly as it is written. */
export function isPlainPath(path: string): boolean {
  const base = 'http://host';
  if (!path.startsWith('/') || path.startsWith('//')) return false;
  return URL.canParse(path, base) && new URL(path, base).href === base + path && !/[?#{}]/.test(path);
}

/** An address, a network such as `10.0.0.0/8` that is not every address, or the name of a range. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0) return PROXY_RANGES.includes(text);
  if (rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return false;
  try {
    compile(text);
    return true;
  } catch {
    return false;
  }
}

/** An address without the port that some proxies add to it: `192.0.2.1:555`, `[2001:db8::1]:80`. Closed sockets have none. */
export function withoutPort(address = ''): string {
  return address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
}

/** Whether a host name of a URL is this machine, without a look-up. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

/** Whether a text can be sent in a header unchanged, as one word. */
export function isVisibleAscii(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** A name of a header (RFC 9110) of at most 64 characters. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(name);
}

/** Headers of requests to the external system that belong to the connection, or that the service sets itself. */
const SERVICE_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|upgrade|te|trailer|keep-alive|expect|proxy-.*|accept|accept-encoding|x-request-id|traceparent|tracestate|baggage)$/i;

/** Whether no setting may set a header, because the service does. */
export function isServiceHeader(name: string): boolean {
  return SERVICE_HEADERS.test(name);
}
