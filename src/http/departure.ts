import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DepartureSignal } from '../shipping/model/call-context';

declare module 'fastify' {
  interface FastifyRequest {
    /** When it came, on the clock of `performance.now()`; absent where no route could be looked up. */
    arrivedAt?: number;
    /** Made for the first who wants to know, see {@link departureOf}. */
    departure: Departure | null;
  }
}

type Listener = Parameters<DepartureSignal['addEventListener']>[1];

/** Tells, once, that the client of one request has left before its answer. */
export class Departure implements DepartureSignal {
  private left = false;
  private listeners: Listener[] = [];

  get aborted(): boolean {
    return this.left;
  }

  addEventListener(_: 'abort', listener: Listener): void {
    // There is one as a rule: an array that grows would have room for seventeen.
    this.listeners = this.listeners.concat(listener);
  }

  removeEventListener(_: 'abort', listener: Listener): void {
    this.listeners = this.listeners.filter((other) => other !== listener);
  }

  announce(): void {
    const { listeners } = this;
    this.left = true;
    this.listeners = [];
    for (const listener of listeners) listener.handleEvent();
  }
}

/** Notes when requests arrive and when their clients leave. To be called before any other hook is added. */
export function watchClients(fastify: FastifyInstance): void {
  fastify.decorateRequest('arrivedAt', undefined);
  fastify.decorateRequest('departure', null);
  fastify.addHook('onRequest', (request, _, done) => {
    request.arrivedAt = performance.now();
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    request.departure?.announce();
    done();
  });
}

export function departureOf(request: FastifyRequest): Departure {
  return (request.departure ??= new Departure());
}
