import type { FastifyReply, FastifyRequest } from 'fastify';
import { isApiRequest } from '../paths';

const NAME = /[ \t,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*/y;
// A backslash in a quoted value only quotes what follows it.
const STRICT = /=[ \t]*(?:strict(?![^ \t",;])|"\\?s\\?t\\?r\\?i\\?c\\?t")/iy;

/** Reads the `Prefer` header of an API request. */
export function readPreference(request: FastifyRequest, reply: FastifyReply): void {
  const { prefer } = request.headers;
  if (prefer === undefined || !isApiRequest(request) || !prefersStrictHandling(prefer)) return;
  request.strict = true;
  reply.header('Preference-Applied', 'handling=strict');
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
    at += name[0].length;
    if (name[1]?.toLowerCase() === 'handling') return matchAt(STRICT, header, at) !== null;
    at = endOfPreference(header, at);
  }
  return false;
}

/** The next comma outside quotes. A loop: a regular expression with such choices needs a stack as long as its text. */
function endOfPreference(header: string, from: number): number {
  let quoted = false;
  for (let at = from; at < header.length; at += 1) {
    const character = header[at];
    if (character === ',' && !quoted) return at;
    if (character === '"') quoted = !quoted;
    if (character === '\\' && quoted) at += 1;
  }
  return header.length;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
