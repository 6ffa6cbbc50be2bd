import type { FastifyInstance } from 'fastify';
import { isApiRequest } from './paths';

const NAME = /[ \t,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*/y;
const VALUE = /=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^ \t",;]*))/y;
const REST = /(?:[^",]|"(?:[^"\\]|\\.)*")*/y;

/** Reads the `Prefer` header of API requests, once. */
export function readPreferences(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { prefer } = request.headers;
    if (prefer !== undefined && isApiRequest(request) && prefersStrictHandling(prefer)) {
      request.strict = true;
      reply.header('Preference-Applied', 'handling=strict');
    }
    done();
  });
}

/**
 * Whether a `Prefer` header (RFC 7240) requests `handling=strict`. Only the first of repeated preferences counts. Parsing
 * stops at invalid text.
 */
export function prefersStrictHandling(header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  for (let at = 0; at < header.length;) {
    const name = matchAt(NAME, header, at);
    if (name === null) return false;
    const value = matchAt(VALUE, header, at + name[0].length);
    if (name[1]?.toLowerCase() === 'handling') {
      return (value?.[1]?.replace(/\\(.)/g, '$1') ?? value?.[2] ?? '').toLowerCase() === 'strict';
    }
    at += name[0].length + (value?.[0].length ?? 0);
    at += matchAt(REST, header, at)?.[0].length ?? 0;
  }
  return false;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
