import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

/**
 * Makes `HEAD` respond with the length of `GET`. Fastify measures and drops the body of `HEAD` in a hook of its own, which
 * has to run after all hooks that change the body.
 */
export function respondToHeadAsGet(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.method !== 'HEAD' || route.onSend === undefined) return;
    const [measure, ...others] = [route.onSend].flat();
    if (measure !== undefined) route.onSend = [...others, measure, dropLengthOfUnchanged];
  });
}

/** RFC 9110: the length of a 304 would be that of the 200 that it replaces. */
function dropLengthOfUnchanged(
  _: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  if (reply.statusCode === 304) reply.removeHeader('Content-Length');
  done(null, payload);
}
