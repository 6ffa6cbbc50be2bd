import type { FastifyInstance } from 'fastify';
import { isDecodable } from '../common/percent-encoding';
import { UNDECODABLE_TARGET } from './paths';
import { sendProblem } from './problem.filter';
import { invalidParameters } from './problem';

const BEYOND_ASCII = /[\x80-\uffff]/;

/**
 * Replaces targets for which the router would run no hook, before a route is looked up: `*`, and those whose path cannot
 * be decoded. A target has ASCII characters only; Node before 20.20 passes others on, one character a byte.
 */
export function routableTarget({ url = '/' }: { url?: string }): string {
  if (url === '*') return '/*';
  if (BEYOND_ASCII.test(url)) return UNDECODABLE_TARGET;
  if (!url.includes('%')) return url;
  return isDecodable(url.split('?', 1)[0] ?? '') ? url : UNDECODABLE_TARGET;
}

/** Responds with 400 to targets that cannot be decoded, with or without credentials. */
export function refuseUndecodableTargets(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.url !== UNDECODABLE_TARGET) done();
    else
      sendProblem(reply, request, invalidParameters([{ parameter: 'path', message: 'must be percent-encoded UTF-8' }]));
  });
}
