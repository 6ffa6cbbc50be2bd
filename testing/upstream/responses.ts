import { STATUS_CODES } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Behaviour, chunk, type Headers, responseHead } from './exchange';
import type { ReceivedCall } from './received-call';
import { anyReply } from './records';

/** Responses that a proper server gives, sound in themselves if not always welcome. */

export const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

interface AnswerOptions {
  readonly status?: number;
  readonly headers?: Headers;
}

/** The bytes of a value as JSON. */
export function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** These bytes, with their length. */
export function bytes(body: Buffer, headers: Headers, status = 200): Behaviour {
  return { perform: (exchange) => exchange.answer(status, headers, body) };
}

/** This value as JSON. */
export function json(body: unknown = anyReply(), { status = 200, headers = {} }: AnswerOptions = {}): Behaviour {
  return bytes(jsonBytes(body), { ...JSON_TYPE, ...headers }, status);
}

/** A sound response to any operation: its record is the one that was asked for, or the record of the examples. */
export function soundReply({ path, params }: ReceivedCall): Behaviour {
  const [, id] = /\/by-id\/([^/]+)$/.exec(path) ?? [];
  const requested = id === undefined ? params.get('Id') : decodeURIComponent(id);
  return json(anyReply(requested === null ? {} : { Id: requested }));
}

/** This text; with `contentType` also JSON that `JSON.stringify` would not write. */
export function text(
  body: string,
  {
    status = 200,
    headers = {},
    contentType = 'text/plain; charset=utf-8',
  }: AnswerOptions & { contentType?: string } = {},
): Behaviour {
  return bytes(Buffer.from(body), { 'Content-Type': contentType, ...headers }, status);
}

/** This text, called JSON. */
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

/** A web page, as proxies and login walls give. */
export function html(code = 200): Behaviour {
  const page = '<!doctype html><html><head><title>Gateway</title></head><body>Please sign in.</body></html>';
  return text(page, { status: code, contentType: 'text/html; charset=utf-8' });
}

/** A redirect to this location. */
export function redirect(code = 302, location = '/elsewhere'): Behaviour {
  return bytes(Buffer.alloc(0), { Location: location }, code);
}

/** This value as JSON, gzipped, whether or not the client accepts that. */
export function gzip(body: unknown = anyReply(), { headers = {} }: AnswerOptions = {}): Behaviour {
  return bytes(gzipSync(jsonBytes(body)), { ...JSON_TYPE, ...headers, 'Content-Encoding': 'gzip' });
}

/** This value as JSON in chunks of so many bytes, each written on its own. */
export function chunked(body: unknown = anyReply(), size = 7): Behaviour {
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

/** A sound reply in the manner of HTTP/1.0: no length, the end of the connection ends the body. */
export function http10(): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write(responseHead(200, JSON_TYPE, '1.0'));
      await exchange.write(jsonBytes(anyReply()));
      exchange.close();
    },
  };
}

/** An informational 103, then a sound reply. */
export function earlyHints(): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write(responseHead(103, { Link: '</style.css>; rel=preload' }));
      await json().perform(exchange);
    },
  };
}

/** Another behaviour, so many milliseconds late. */
export function delayed(milliseconds = 1_000, behaviour: Behaviour = json()): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.pause(milliseconds);
      await behaviour.perform(exchange);
    },
  };
}

/** Calls that wait until the test releases them all. */
export interface Held {
  readonly behaviour: Behaviour;
  release(): void;
}

/** Holds calls back, then does the same with each; the default is a sound upstream response. */
export function held(behaviour?: Behaviour): Held {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    behaviour: {
      perform: async (exchange) => {
        await released;
        await (behaviour ?? soundReply(exchange.call)).perform(exchange);
      },
    },
    release,
  };
}
