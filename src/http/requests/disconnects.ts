import { EventEmitter } from 'node:events';
import type { FastifyRequest } from 'fastify';
import type { DisconnectSignal } from '../../common/disconnect-signal';

/** Emits `abort`, once, when the client of a request disconnects before the response. */
export class ClientDisconnect extends EventEmitter<{ abort: [] }> implements DisconnectSignal {
  aborted = false;

  notify(): void {
    this.aborted = true;
    this.emit('abort');
  }

  /** For callers that still treat it as an `AbortSignal`. */
  addEventListener(event: 'abort', listener: { readonly handleEvent: () => void }): void {
    this.once(event, listener.handleEvent);
  }

  removeEventListener(event: 'abort', listener: { readonly handleEvent: () => void }): void {
    this.off(event, listener.handleEvent);
  }
}

/** The disconnect of a request; always the same one. */
export function disconnectOf(request: FastifyRequest): ClientDisconnect {
  return (request.disconnect ??= new ClientDisconnect());
}
