import type { FastifyRequest } from 'fastify';

/** One `name=value` of a query string, decoded; a part that is not percent-encoded UTF-8 is `undefined`. */
export interface RawParameter {
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/** The query string of a request as it was sent, without the `?`. */
export function queryStringOf({ originalUrl }: FastifyRequest): string {
  const mark = originalUrl.indexOf('?');
  return mark === -1 ? '' : originalUrl.slice(mark + 1);
}

/** Parses by the rules of HTML forms (`+` is a space), in order, nothing merged or dropped. Never throws. */
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
