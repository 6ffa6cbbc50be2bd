import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DisconnectSignal } from '../common/disconnect-signal';

type Listener = Parameters<DisconnectSignal['addEventListener']>[1];

/** Notifies its listeners, once, that the client of a request disconnected before the response. */
export class ClientDisconnect implements DisconnectSignal {
  private disconnected = false;
  private listeners: Listener[] = [];

  get aborted(): boolean {
    return this.disconnected;
  }

  addEventListener(_: 'abort', listener: Listener): void {
    // As a rule there is one listener: a growing array would reserve room for seventeen.
    this.listeners = this.listeners.concat(listener);
  }

  removeEventListener(_: 'abort', listener: Listener): void {
    this.listeners = this.listeners.filter((other) => other !== listener);
  }

  notify(): void {
    const { listeners } = this;
    this.disconnected = true;
    this.listeners = [];
    for (const listener of listeners) listener.handleEvent();
  }
}

/** Sets when requests arrived, and notifies of clients that disconnect. */
export function trackDisconnects(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _, done) => {
    request.arrivedAt = performance.now();
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    disconnectOf(request).notify();
    done();
  });
}

/** The disconnect of a request; always the same one. */
export function disconnectOf(request: FastifyRequest): ClientDisconnect {
  return (request.disconnect ??= new ClientDisconnect());
}
