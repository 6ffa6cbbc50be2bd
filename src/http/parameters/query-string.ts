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
  const parameters: RawParameter[] = [];
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    if (equals !== -1) parameters.push({ name: decode(pair.slice(0, equals)), value: decode(pair.slice(equals + 1)) });
    else if (pair !== '') parameters.push({ name: decode(pair), value: '' });
  }
  return parameters;
}

const ENCODED = /[%+]/;

function decode(text: string): string | undefined {
  if (!ENCODED.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
