import type { FastifyInstance } from 'fastify';

/** Closes each connection with its next response while the service drains. */
export function closeConnectionsWhile(fastify: FastifyInstance, isDraining: () => boolean): void {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining()) reply.header('Connection', 'close');
    done();
  });
}
