import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import { status } from './responses';
import { Connection } from './connection';
import type { Behaviour } from './exchange';
import type { ReceivedCall } from './received-call';

/** A behaviour, or a function that chooses one by looking at the call. */
export type Script = Behaviour | ((call: ReceivedCall) => Behaviour | Promise<Behaviour>);

/** How an upstream is started. */
export interface UpstreamOptions {
  /** The port to listen on; any free one by default. A port of an earlier upstream makes a system that comes back. */
  readonly port?: number;
  /** Speaks TLS with this key and certificate. */
  readonly tls?: SecureContextOptions;
}

interface Waiter {
  readonly holds: () => boolean;
  readonly resolve: () => void;
}

const HOST = '127.0.0.1';
/** Bounds hangs, not speed: machines differ. */
const PATIENCE_MS = 100_000;

/**
 * A stand-in for the external system that does with each call exactly what its script says, on the wire, including
 * what no proper HTTP server would do. Until something is scripted, every call gets 501.
 */
export class ScriptedUpstream {
  /** The port it listens on. */
  port = 0;
  /** The calls received, in the order of their arrival. */
  calls: ReceivedCall[] = [];
  /** The most calls that were under way at the same time. */
  maxInFlight = 0;
  /**
   * Requests over connections that were to die on reuse, or that had been closed already. They are neither in `calls`
   * nor do they use up a script.
   */
  reusesRefused = 0;

  private byDefault: Script = status(501);
  private queue: Script[] = [];
  private readonly connections = new Set<Connection>();
  private readonly waiters = new Set<Waiter>();
  private readonly underWay = new Set<ReceivedCall>();
  private readonly errors: unknown[] = [];
  private readonly secureContext: SecureContext | undefined;
  private connectionCount = 0;

  private constructor(
    private readonly server: Server,
    tls: SecureContextOptions | undefined,
  ) {
    this.secureContext = tls && createSecureContext(tls);
    server.on('connection', (socket) => {
      this.accept(socket);
    });
  }

  /** Starts an upstream on the loopback interface. */
  static async start(options: UpstreamOptions = {}): Promise<ScriptedUpstream> {
    const server = createServer();
    const upstream = new ScriptedUpstream(server, options.tls);
    server.listen(options.port ?? 0, HOST);
    await once(server, 'listening');
    upstream.port = (server.address() as AddressInfo).port;
    return upstream;
  }

  /** The base URL, without a trailing slash. */
  get url(): string {
    return `${this.secureContext ? 'https' : 'http'}://${HOST}:${this.port}`;
  }

  /** What every call gets for which nothing is enqueued. */
  respondWith(script: Script): void {
    this.byDefault = script;
  }

  /** What the next calls get, one each, in this order; after what is enqueued already. */
  enqueue(...scripts: Script[]): void {
    this.queue.push(...scripts);
  }

  /** What the next call gets; the same as {@link enqueue} with one script. */
  respondOnce(script: Script): void {
    this.enqueue(script);
  }

  /** How many connections are open. */
  openSockets(): number {
    return this.connections.size;
  }

  /**
   * How many calls are under way. A client that gives up one call and makes another over a new connection may be seen
   * with both for a moment: the two connections report in no particular order.
   */
  inFlight(): number {
    return this.underWay.size;
  }

  /** Resolves when so many calls have been received. */
  waitForCalls(count: number, withinMs = PATIENCE_MS): Promise<void> {
    return this.until(
      () => this.calls.length >= count,
      withinMs,
      () => `${this.calls.length} of ${count} calls came`,
    );
  }

  /**
   * Resolves when the condition holds. It is looked at whenever a call arrives or ends and a connection opens or
   * closes, so that it should speak of those. Rejects after `withinMs`.
   */
  async until(
    holds: () => boolean,
    withinMs = PATIENCE_MS,
    complaint = () => 'the condition never held',
  ): Promise<void> {
    if (holds()) {
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        holds,
        resolve: () => {
          clearTimeout(timer);
          this.waiters.delete(waiter);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.waiters.delete(waiter);
        reject(new Error(`Waited for ${withinMs} ms: ${complaint()}`));
      }, withinMs);
      timer.unref();
      this.waiters.add(waiter);
    });
  }

  /** Clears calls, counts and scripts. Connections and calls in flight go on. */
  reset(): void {
    this.calls = [];
    this.queue = [];
    this.byDefault = status(501);
    this.maxInFlight = this.underWay.size;
    this.reusesRefused = 0;
  }

  /** Destroys all connections, the calls under way with them; new ones are welcome. */
  hangUp(): void {
    for (const connection of this.connections) {
      connection.hangUp();
    }
  }

  /**
   * Stops listening and destroys all connections. Never hangs.
   *
   * @throws what a script or a behaviour threw, so that a mistake in a test is not taken for a fault of the wire.
   */
  async close(): Promise<void> {
    if (this.server.listening) {
      const closed = once(this.server, 'close');
      this.server.close();
      this.hangUp();
      await closed;
      await this.until(() => this.connections.size === 0);
    }
    if (this.errors.length > 0) {
      throw new AggregateError(this.errors.splice(0), 'A script of the upstream failed');
    }
  }

  private accept(rawSocket: Socket): void {
    const { secureContext } = this;
    const socket = secureContext ? new TLSSocket(rawSocket, { isServer: true, secureContext }) : rawSocket;
    const connection = new Connection(++this.connectionCount, socket, rawSocket, {
      received: (call) => {
        this.received(call);
      },
      behaviourFor: (call) => this.behaviourFor(call),
      settled: (call) => {
        this.underWay.delete(call);
        this.changed();
      },
      reuseRefused: () => {
        this.reusesRefused++;
        this.changed();
      },
      failed: (error) => this.errors.push(error),
    });
    this.connections.add(connection);
    rawSocket.once('close', () => {
      this.connections.delete(connection);
      this.changed();
    });
    this.changed();
  }

  private received(call: ReceivedCall): void {
    this.calls.push(call);
    this.underWay.add(call);
    this.maxInFlight = Math.max(this.maxInFlight, this.underWay.size);
    this.changed();
  }

  private async behaviourFor(call: ReceivedCall): Promise<Behaviour> {
    const script = this.queue.shift() ?? this.byDefault;
    return typeof script === 'function' ? script(call) : script;
  }

  private changed(): void {
    for (const waiter of this.waiters) {
      if (waiter.holds()) {
        waiter.resolve();
      }
    }
  }
}
