import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

/**
 * Makes `HEAD` tell the length that `GET` would send. Fastify has a hook of its own measure the body and drop it; it has
 * to run after all others that change the body. To be called after whatever adds hooks to routes, and before any route
 * is added.
 */
export function answerHeadAsGet(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.method !== 'HEAD' || route.onSend === undefined) return;
    const [measure, ...others] = [route.onSend].flat();
    if (measure !== undefined) route.onSend = [...others, measure, dropLengthOfUnchanged];
  });
}

/** RFC 9110: a 304 says nothing of a length but that of the 200 it stands for. */
function dropLengthOfUnchanged(
  _: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  if (reply.statusCode === 304) reply.removeHeader('Content-Length');
  done(null, payload);
}
