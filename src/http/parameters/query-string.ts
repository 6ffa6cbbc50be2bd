import type { FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';

/** A decoded `name=value`; `undefined` stands for malformed percent-encoding. */
export interface RawParameter {
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/** The query string as it was sent, without the `?`. */
export function queryStringOf({ originalUrl }: FastifyRequest): string {
  const mark = originalUrl.indexOf('?');
  return mark === -1 ? '' : originalUrl.slice(mark + 1);
}

/** The `name=value` pairs as they were sent, in order, with repetitions. */
export function pairsOf(query: string): string[] {
  return query.split('&').filter((pair) => pair !== '');
}

/** Decodes by the rules of HTML forms: `+` is a space. */
export function decodePair(pair: string): RawParameter {
  const equals = pair.indexOf('=');
  if (equals === -1) return { name: decode(pair), value: '' };
  return { name: decode(pair.slice(0, equals)), value: decode(pair.slice(equals + 1)) };
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  const encoded = text.replaceAll('+', ' ');
  return isDecodable(encoded) ? decodeURIComponent(encoded) : undefined;
}

/** An exception for each malformed name would cost a client nothing and the service 5 µs. */
function isDecodable(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text)) return false;
  const runs = text.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
  return runs.every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')));
}
