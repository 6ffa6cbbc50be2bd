import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from './eventually';
import { type Behaviour, type Death, Exchange } from './exchange';
import { ReceivedCall } from './received-call';
import { status } from './responses';

/** A behaviour, or a function that chooses one for each call. */
export type Script = Behaviour | ((call: ReceivedCall) => Behaviour | Promise<Behaviour>);

/** Options of {@link ScriptedUpstream.start}. */
interface UpstreamOptions {
  /** The address of the loopback interface to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** The port; any free one by default. With the port of a closed upstream, it simulates a system that restarts. */
  readonly port?: number;
  /** Key and certificate; with them the upstream uses TLS. */
  readonly tls?: ServerOptions;
}

/**
 * A stand-in for the external system that responds to each call as its script says, also in ways that no correct HTTP
 * server would. Without a script, every call gets 501.
 */
export class ScriptedUpstream {
  /** The requests that were received, in the order of their arrival. */
  calls: ReceivedCall[] = [];
  /** The largest number of calls that were in flight at the same time. */
  maxInFlight = 0;
  /**
   * The number of requests over a connection that a script has closed, or that is to break when it is used again
   * (`closesKeepAliveAsReused`). These requests are not in `calls`.
   */
  reusesRefused = 0;

  private byDefault: Script = status(501);
  private queue: Script[] = [];
  private readonly connections = new Set<Socket>();
  private readonly deaths = new WeakMap<Socket, Death>();
  private readonly underWay = new Set<ReceivedCall>();
  private readonly errors: unknown[] = [];

  private constructor(
    private readonly server: Server,
    /** The base URL, without a trailing slash. */
    readonly url: string,
  ) {
    server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.serve(request, response));
  }

  /** Starts an upstream on the loopback interface. */
  static async start({ host = '127.0.0.1', port = 0, tls }: UpstreamOptions = {}): Promise<ScriptedUpstream> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    // Otherwise Node would send `Keep-Alive: timeout=5` and close idle connections, which only scripts are to do.
    server.keepAliveTimeout = 0;
    // Where a test fails before it closes the upstream, the runner ends nevertheless.
    server.listen(port, host).unref();
    await once(server, 'listening');
    const address = `${host}:${(server.address() as AddressInfo).port}`;
    return new ScriptedUpstream(server, `${tls === undefined ? 'http' : 'https'}://${address}`);
  }

  /** Sets the script of all calls for which nothing is enqueued. */
  respondWith(script: Script): void {
    this.byDefault = script;
  }

  /** Adds scripts for the next calls, one for each, in this order. */
  enqueue(...scripts: Script[]): void {
    this.queue.push(...scripts);
  }

  /** How many connections are open. */
  openSockets(): number {
    return this.connections.size;
  }

  /**
   * How many calls are in flight. Where a client aborts a call and sends another over a new connection, both may count
   * for a moment, because the two connections report in no particular order.
   */
  inFlight(): number {
    return this.underWay.size;
  }

  /** Resolves when at least `count` calls have been received. */
  async waitForCalls(count: number): Promise<void> {
    const isWanted = (calls: number): boolean => calls >= count;
    await eventually('calls to the external system', () => this.calls.length, isWanted);
  }

  /** Clears calls, counts and scripts. Connections and calls in flight go on. */
  reset(): void {
    this.calls = [];
    this.queue = [];
    this.byDefault = status(501);
    this.maxInFlight = this.underWay.size;
    this.reusesRefused = 0;
  }

  /** Destroys all connections and so ends the calls in flight; new connections are accepted. */
  hangUp(): void {
    this.server.closeAllConnections();
  }

  /**
   * Stops listening and destroys all connections.
   *
   * @throws AggregateError of what scripts and behaviours have thrown, so that a mistake in a test is not taken for a
   * failure that the test simulates
   */
  async close(): Promise<void> {
    if (this.server.listening) {
      const closed = once(this.server, 'close');
      this.server.close();
      this.hangUp();
      await closed;
    }
    if (this.errors.length > 0) throw new AggregateError(this.errors.splice(0), 'A script of the upstream failed');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const death = this.deaths.get(socket);
    if (death !== undefined || socket.writableEnded) {
      this.reusesRefused += 1;
      if (death === 'reset') socket.resetAndDestroy();
      else socket.end();
      return;
    }
    const call = new ReceivedCall(request);
    this.calls.push(call);
    this.underWay.add(call);
    this.maxInFlight = Math.max(this.maxInFlight, this.underWay.size);
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    const exchange = new Exchange(call, response, socket, gone.signal);
    // A client that disconnects ends the call, even where its behaviour or script still waits for something else.
    await Promise.race([this.perform(exchange), exchange.untilGone()]);
    if (exchange.deathOnReuse !== undefined) this.deaths.set(socket, exchange.deathOnReuse);
    this.underWay.delete(call);
    call.settle(gone.signal.aborted && !response.writableFinished ? 'aborted' : 'finished');
  }

  private async perform(exchange: Exchange): Promise<void> {
    try {
      const script = this.queue.shift() ?? this.byDefault;
      await (typeof script === 'function' ? await script(exchange.call) : script).perform(exchange);
    } catch (error) {
      this.errors.push(error);
      exchange.reset();
    }
  }
}
