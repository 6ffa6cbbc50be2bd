import type { FastifyRequest } from 'fastify';

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

/** Parses by the rules of HTML forms (`+` is a space), in order, with repetitions. */
export function parseQuery(query: string): RawParameter[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals === -1) return { name: decode(pair), value: '' };
      return { name: decode(pair.slice(0, equals)), value: decode(pair.slice(equals + 1)) };
    });
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
