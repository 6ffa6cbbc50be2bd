import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDecodable } from '../../common/text';
import { UNDECODABLE_TARGET } from '../paths';
import type { ProblemDefinition } from '../problems/problem';
import { invalidParameters, PROBLEMS } from '../problems/problem-definitions';

/** No part of a target (RFC 9112): other characters than ASCII, and fragments. */
const FORBIDDEN = /[#\x80-\uffff]/;

/**
 * Replaces targets for which the router would run no hook, before a route is looked up: `*`, and those whose path cannot
 * be decoded. A target has ASCII characters only; Node before 20.20 passes others on, one character a byte.
 */
export function routableTarget({ url = '/' }: { url?: string }): string {
  if (url === '*') return '/*';
  if (FORBIDDEN.test(url)) return UNDECODABLE_TARGET;
  if (!url.includes('%')) return url;
  return isDecodable(url.split('?', 1)[0] ?? '') ? url : UNDECODABLE_TARGET;
}

/**
 * The problem of a request with no or several hosts, an unknown `Expect`, or a target that cannot be decoded. A request with
 * a body to an unknown path is 404 here, because Fastify would read and parse the body first.
 *
 * Connections whose requests carry a body are closed, so that the rest of the body is not taken for the next request.
 */
export function malformed(request: FastifyRequest, reply: FastifyReply): ProblemDefinition | undefined {
  const hasHost = namesItsHost(request);
  const isExpected = /^(100-continue)?$/i.test(request.headers.expect ?? '');
  const carriesBody = hasBody(request);
  if (!hasHost || !isExpected || carriesBody) reply.header('Connection', 'close');
  if (!hasHost) return PROBLEMS.badRequest;
  if (!isExpected) return PROBLEMS.expectationFailed;
  if (request.url !== UNDECODABLE_TARGET) return carriesBody && request.is404 ? PROBLEMS.routeNotFound : undefined;
  if (FORBIDDEN.test(request.originalUrl)) return PROBLEMS.invalidTarget;
  return invalidParameters([{ parameter: 'path', message: 'must be percent-encoded UTF-8' }]);
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** RFC 9112: a request of HTTP/1.1 names its host, once. */
function namesItsHost({ raw }: FastifyRequest): boolean {
  let hosts = 0;
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = raw.rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0');
}
