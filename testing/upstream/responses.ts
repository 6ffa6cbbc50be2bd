import { STATUS_CODES } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Behaviour, chunk, type Headers, responseHead } from './exchange';
import type { ReceivedCall } from './received-call';
import { wireBody, wireBodyOf, wireRecord } from './records';

/** Upstream responses that a correct HTTP server may send, errors included. */

export const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

interface ResponseOptions {
  readonly status?: number;
  readonly headers?: Headers;
}

/** The bytes of a value as JSON. */
export function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** A response with this body and its `Content-Length`. */
export function bytes(body: Buffer, headers: Headers, status = 200): Behaviour {
  return { perform: (exchange) => exchange.respond(status, headers, body) };
}

/** A response with this value as JSON. */
export function json(body: unknown = wireBody(), { status = 200, headers = {} }: ResponseOptions = {}): Behaviour {
  return bytes(jsonBytes(body), { ...JSON_TYPE, ...headers }, status);
}

/** The word of a status, by the name that is sent as a filter. */
const wordOf = (status: string): string => status.replace(/\B[A-Z]/g, '_$&').toLowerCase();

/** A valid response to any operation, with the requested record (D18) on the requested page, which is the last (D14). */
export function validResponse({ path, params }: ReceivedCall): Behaviour {
  const [, id] = /\/by-id\/([^/]+)$/.exec(path) ?? [];
  const Id = id === undefined ? params.get('Id') : decodeURIComponent(id);
  const [OrderId, TrackingNumber, Status] = ['OrderId', 'TrackingNumber', 'Status'].map((name) => params.get(name));
  const PageNumber = Number(params.get('PageNumber') ?? 1);
  const before = { PageNumber, TotalPages: PageNumber, HasPreviousPage: PageNumber > 1 };
  return json({
    ...wireBodyOf(
      wireRecord({
        ...(Id !== null && { Id }),
        ...(OrderId != null && { OrderId }),
        ...(TrackingNumber != null && { TrackingNumber }),
        ...(Status != null && { Status: wordOf(Status) }),
      }),
    ),
    ...before,
    TotalCount: 10 * (PageNumber - 1) + 1,
  });
}

/** A response with this text; with another `contentType` it may be JSON that `JSON.stringify` would not write. */
export function text(
  body: string,
  {
    status = 200,
    headers = {},
    contentType = 'text/plain; charset=utf-8',
  }: ResponseOptions & { contentType?: string } = {},
): Behaviour {
  return bytes(Buffer.from(body), { 'Content-Type': contentType, ...headers }, status);
}

/** A response with this text and the media type of JSON, whether or not it is JSON. */
export function jsonText(body: string): Behaviour {
  return text(body, { contentType: JSON_TYPE['Content-Type'] });
}

/** A status without a body. */
export function empty(code = 204): Behaviour {
  return bytes(Buffer.alloc(0), {}, code);
}

/** A status with a small JSON body, and `Retry-After` where given: seconds, or an HTTP date. */
export function status(code: number, { retryAfter }: { retryAfter?: number | string } = {}): Behaviour {
  const headers: Headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  return json({ Message: STATUS_CODES[code] ?? 'Unnamed' }, { status: code, headers });
}

/** A web page, as a proxy or a login page in front of the external system would send. */
export function html(code = 200): Behaviour {
  const page = '<!doctype html><html><head><title>Gateway</title></head><body>Please sign in.</body></html>';
  return text(page, { status: code, contentType: 'text/html; charset=utf-8' });
}

/** A redirect to this location. */
export function redirect(code = 302, location = '/elsewhere'): Behaviour {
  return bytes(Buffer.alloc(0), { Location: location }, code);
}

/** A response with this value as JSON, compressed by gzip, whether or not the client accepts that. */
export function gzip(body: unknown = wireBody(), { headers = {} }: ResponseOptions = {}): Behaviour {
  return bytes(gzipSync(jsonBytes(body)), { ...JSON_TYPE, ...headers, 'Content-Encoding': 'gzip' });
}

/** A response with this value as JSON, in chunks of `size` bytes that are written one by one. */
export function chunked(body: unknown = wireBody(), size = 7): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write(responseHead(200, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }));
      const whole = jsonBytes(body);
      for (let at = 0; at < whole.length; at += size) await exchange.write(chunk(whole.subarray(at, at + size)));
      await exchange.write(chunk(Buffer.alloc(0)));
      exchange.close();
    },
  };
}

/** Waits for this time, then behaves as `behaviour` does. */
export function delayed(milliseconds = 1_000, behaviour: Behaviour = json()): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.pause(milliseconds);
      await behaviour.perform(exchange);
    },
  };
}

/** A behaviour whose calls wait until the test releases all of them. */
export interface Held {
  readonly behaviour: Behaviour;
  release(): void;
}

/** Makes calls wait for `release()`, then continues each with the same behaviour; by default with a valid response. */
export function held(behaviour?: Behaviour): Held {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    behaviour: {
      perform: async (exchange) => {
        await released;
        await (behaviour ?? validResponse(exchange.call)).perform(exchange);
      },
    },
    release,
  };
}
