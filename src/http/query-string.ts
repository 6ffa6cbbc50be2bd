import type { FastifyReply } from 'fastify';
import { isDecodable } from '../common/percent-encoding';

/** One `name=value` of a query string, decoded; `malformed` where its encoding is invalid. */
export interface RawParameter {
  readonly name: string;
  readonly value: string;
  readonly malformed: boolean;
}

/** The parameters that are read of one request. */
export const MAX_PARAMETERS = 100;

/**
 * A query string with every parameter in order, nothing merged or dropped. It is parsed on first use, so that requests
 * that are refused before cost nothing.
 */
export class RawQuery {
  private parsed: readonly RawParameter[] | undefined;

  /** @param text what follows the `?`, ASCII only: other targets are refused before */
  constructor(private readonly text: string) {}

  /** Whether there are more than {@link MAX_PARAMETERS}; empty ones, as in `a=1&&b=2`, count. Nothing is parsed for it. */
  get exceedsLimit(): boolean {
    let separators = 0;
    for (let at = this.text.indexOf('&'); at !== -1; at = this.text.indexOf('&', at + 1)) {
      separators += 1;
      if (separators >= MAX_PARAMETERS) return true;
    }
    return false;
  }

  get parameters(): readonly RawParameter[] {
    return (this.parsed ??= parseParameters(this.text));
  }
}

/** The query string of a request, whether unknown parameters are refused, and the reply that names ignored ones. */
export interface RequestQuery {
  readonly raw: RawQuery;
  readonly strict: boolean;
  readonly reply: Pick<FastifyReply, 'header'>;
}

/** Parses by the rules of HTML forms (`+` is a space). Never throws: invalid encoding is marked. */
function parseParameters(text: string): RawParameter[] {
  if (text === '') return [];
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map(parseParameter);
}

function parseParameter(pair: string): RawParameter {
  const equals = pair.indexOf('=');
  const name = decode(equals === -1 ? pair : pair.slice(0, equals));
  const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
  return { name: name ?? '', value: value ?? '', malformed: name === undefined || value === undefined };
}

/** `undefined` where the text is no percent-encoded UTF-8. */
function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  return isDecodable(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : undefined;
}
