import type { FastifyRequest } from 'fastify';
import { AbortEmitter } from '../../common/abort-emitter';

/** Emits `abort` when the client of a request disconnects before the response; always the same one. */
export function disconnectOf(request: FastifyRequest): AbortEmitter {
  return (request.disconnect ??= new AbortEmitter());
}
