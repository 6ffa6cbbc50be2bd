import { parse } from 'fast-querystring';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDecodable } from '../../common/text';
import { InvalidParametersException } from '../problems/problem';

/** One `name=value` of a query string, decoded; `malformed` where its encoding is invalid. */
export interface RawParameter {
  readonly name: string;
  readonly value: string;
  readonly malformed: boolean;
}

/** The parameters that are read of one request. */
const MAX_PARAMETERS = 100;

const TOO_MANY = { parameter: 'query string', message: `must have at most ${MAX_PARAMETERS} parameters` };

/**
 * A query string with every parameter in order, nothing merged or dropped. It is parsed on first use, so that requests
 * that are refused before cost nothing.
 */
export class RawQuery {
  private parsed: readonly RawParameter[] | undefined;

  /** @param text what follows the `?`, ASCII only: other targets are refused before */
  constructor(
    private readonly text: string,
    readonly reply?: FastifyReply,
  ) {}

  /** @throws {InvalidParametersException} where there are more than {@link MAX_PARAMETERS} */
  get parameters(): readonly RawParameter[] {
    return (this.parsed ??= parseParameters(this.boundedText()));
  }

  /**
   * What Fastify promises as `request.query`: a text for each name, or an array of texts where it is given more than once.
   *
   * @throws {InvalidParametersException} where there are more than {@link MAX_PARAMETERS}
   */
  toObject(): object {
    return Object.defineProperty(parse(this.boundedText()), RAW, { value: this });
  }

  /** Counts the separators, so empty parameters too, as in `a=1&&b=2`. */
  private boundedText(): string {
    let separators = 0;
    for (let at = this.text.indexOf('&'); at !== -1; at = this.text.indexOf('&', at + 1)) {
      separators += 1;
      if (separators >= MAX_PARAMETERS) throw new InvalidParametersException([TOO_MANY]);
    }
    return this.text;
  }
}

/** What `request.query` was made from: pipes see nothing else of a request. */
const RAW = Symbol('raw query');

/** What {@link RawQuery.toObject} was made from; `undefined` for any other value. */
export function rawQueryOf(query: unknown): RawQuery | undefined {
  return (query as { readonly [RAW]?: RawQuery } | null | undefined)?.[RAW];
}

/** Replaces the text of a query string by the object that Fastify promises, made when it is first read (D40). */
export function parseQueryOnRead(request: FastifyRequest, reply: FastifyReply): void {
  request.rawQuery = new RawQuery(request.query as string, reply);
  Object.defineProperty(request, 'query', PARSED_ON_READ);
}

const PARSED_ON_READ: PropertyDescriptor & ThisType<FastifyRequest> = {
  configurable: true,
  enumerable: true,
  get() {
    return (this.query = this.rawQuery.toObject());
  },
  set(value: unknown) {
    Object.defineProperty(this, 'query', { value, configurable: true, enumerable: true, writable: true });
  },
};

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
