import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BoundedServer } from './bounded-server';
import { hasBody } from './bounds';
import { connectionOf } from './connection';
import { memoryOfBody } from './held-memory';

/**
 * Drops the bodies that no route reads as they arrive (D59): those of GET and HEAD, which Fastify does not parse, those
 * of requests without a route, and what is left of a body when its response is sent. Otherwise each would hold up to
 * 64 KiB until its response has left, or 1 MiB where Fastify parsed it for the 404; in chunks of one byte, a few of
 * them would fill the heap.
 */
export function dropUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _, done) => {
    const { is404, method, raw } = request;
    if (hasBody(raw) && (is404 || method === 'GET' || method === 'HEAD')) {
      raw.resume();
      // Fastify parses the body of each request that has these fields, before it calls the handler.
      const none = { 'content-type': undefined, 'content-length': undefined, 'transfer-encoding': undefined };
      if (is404) Object.assign(raw.headers, none);
    }
    done();
  });
  fastify.addHook('onSend', ({ raw }: FastifyRequest, _, payload, done) => {
    if (payload !== raw && hasBody(raw)) raw.resume();
    done(null, payload);
  });
}

/**
 * Counts the memory of each response until it is sent (D59). While the service drains before its shutdown, closes each
 * connection after its last response.
 */
export function countUnsent(fastify: FastifyInstance, lifecycle: { readonly state: string }): void {
  const server = fastify.server as BoundedServer;
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { record, raw } = request;
    const connection = connectionOf(raw.socket);
    if (lifecycle.state === 'draining' && connection?.isLast === true) reply.header('Connection', 'close');
    if (connection !== undefined && record.route.config.isSharedBody !== true) {
      const body = memoryOfBody(payload);
      connection.body = body;
      connection.objectBytes = record.objectBytes;
      server.added((typeof body === 'number' ? body : body.length) + record.objectBytes);
    }
    // Of a compressed body, only the coding is sent: the text must not be held until then.
    record.ready = undefined;
    done();
  });
}
