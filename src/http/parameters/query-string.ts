import { parse } from 'fast-querystring';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inspect } from 'node:util';
import { isDecodable } from '../../common/text';

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
  /** The reply of its request: `linkQuery`. */
  reply: FastifyReply | undefined;
  private parsed: readonly RawParameter[] | undefined;

  /** @param text what follows the `?`, ASCII only: other targets are refused before */
  constructor(readonly text: string) {}

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

const RAW = Symbol('raw query');

/**
 * `request.query`: the object that Fastify promises, a text or an array of texts for each name, made when it is first read.
 */
export function lazyQuery(text: string): Record<string, unknown> {
  return new Proxy(Object.create(QUERY_PROTOTYPE) as Record<string, unknown>, new LazyQuery(text));
}

/** What {@link lazyQuery} was made from; `undefined` for any other value. */
export function rawQueryOf(query: unknown): RawQuery | undefined {
  return (query as { readonly [RAW]?: RawQuery } | null | undefined)?.[RAW];
}

/** Lets pipes, which see `request.query` only, find the reply of a request. */
export function linkQuery(request: FastifyRequest, reply: FastifyReply): void {
  const raw = rawQueryOf(request.query);
  if (raw !== undefined) raw.reply = reply;
}

/** `console.log` shows the target of a proxy, which may not be filled yet. */
const QUERY_PROTOTYPE = Object.create(null, {
  [inspect.custom]: {
    value(this: object) {
      return { ...this };
    },
  },
}) as object;

/** Fills the target of a proxy on first access: a request that is refused is refused before its query string is parsed (D40). */
class LazyQuery implements ProxyHandler<Record<string, unknown>> {
  private readonly raw: RawQuery;
  private filled = false;

  constructor(text: string) {
    this.raw = new RawQuery(text);
  }

  get(target: Record<string, unknown>, name: string | symbol): unknown {
    if (name === RAW) return this.raw;
    // Nest looks for promises among the arguments.
    if (name === 'then' && !/then|%/.test(this.raw.text)) return undefined;
    return Reflect.get(this.fill(target), name);
  }

  has(target: Record<string, unknown>, name: string | symbol): boolean {
    return Reflect.has(this.fill(target), name);
  }

  ownKeys(target: Record<string, unknown>): (string | symbol)[] {
    return Reflect.ownKeys(this.fill(target));
  }

  getOwnPropertyDescriptor(target: Record<string, unknown>, name: string | symbol): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.fill(target), name);
  }

  defineProperty(target: Record<string, unknown>, name: string | symbol, descriptor: PropertyDescriptor): boolean {
    return Reflect.defineProperty(this.fill(target), name, descriptor);
  }

  deleteProperty(target: Record<string, unknown>, name: string | symbol): boolean {
    return Reflect.deleteProperty(this.fill(target), name);
  }

  private fill(target: Record<string, unknown>): Record<string, unknown> {
    if (!this.filled) Object.assign(target, parse(this.raw.text));
    this.filled = true;
    return target;
  }
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
