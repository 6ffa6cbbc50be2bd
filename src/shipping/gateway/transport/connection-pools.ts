import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector, Pool } from 'undici';
import { sharedLookup } from '../../../common/name-lookup';
import type { Settings } from '../../../config/settings';
import type { Connecting } from '../../../resilience/attempt';
import { notConnected } from '../../../resilience/upstream-failure';
import type { GatewayMetrics } from '../gateway.metrics';

/**
 * Idle connections are closed after this time, before servers close them: 5 s is a common default, and a request that
 * is sent on a connection just as the server closes it is lost.
 */
const IDLE_CONNECTION_MS = 4000;
/** After this time, requests get new connections, for which the host name is resolved again (D82). */
const POOL_LIFE_MS = 60_000;
/**
 * The share of an attempt's deadline in which its connection has to be open. The rest is for the response. With the
 * whole deadline, a firewall that drops packets would look like a system that does not respond (D81).
 */
const CONNECT_SHARE = 0.8;

/**
 * The connections to the external system, and the embedded sandbox. They are closed after the shutdown hooks of the
 * modules of an application that extends the service, which may still call the external system (D27): `AppModule`
 * provides this class, and Nest runs the shutdown hooks of global modules last.
 */
@Injectable()
export class Connections implements OnApplicationShutdown {
  /** Each closes one connection, and is called once. */
  readonly closers: (() => unknown)[] = [];

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((closer) => closer()));
  }
}

/** The connections to the external system: those that requests use again, and those for one request each. */
export class ConnectionPools implements Readonly<Connecting> {
  /**
   * Opens a connection for each request. A request whose connection was lost is sent again through it (D61): the other
   * open connections to a system that has restarted may be lost as well.
   */
  readonly singleUse: Pool;
  private readonly options: Pool.Options;
  /** The connections that are being opened, in the order of their beginning. */
  private readonly opening = new Set<Connecting>();
  private keepAlive: Pool | undefined;
  private keepAliveEnd = 0;

  constructor(
    private readonly url: URL,
    { external }: Settings,
    metrics: GatewayMetrics,
    connections: Connections,
  ) {
    this.options = {
      // All pools have one connector, so that they share TLS sessions.
      connect: this.createConnector(external, metrics),
      connections: external.maxConcurrent,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    };
    this.singleUse = new Pool(url.origin, { ...this.options, connections: undefined, pipelining: 0 });
    const { cert } = external.tls;
    if (cert !== undefined) metrics.certificateSeen('client', new X509Certificate(cert).validTo);
    // `destroy` ends requests in flight, too.
    connections.closers.push(() => Promise.all([this.keepAlive?.destroy(), this.singleUse.destroy()]));
  }

  /** The phase of the connection that is being opened for the longest time. */
  get phase(): Connecting['phase'] {
    return [...this.opening][0]?.phase ?? 'connection';
  }

  /**
   * The pool for new requests, which is replaced after {@link POOL_LIFE_MS}. undici's own `clientTtl` would leave
   * requests waiting where all connections are too old at once: it counts connections that are being closed, and
   * nothing wakes the queue when they have closed.
   */
  get current(): Pool {
    const now = performance.now();
    if (this.keepAlive === undefined || now >= this.keepAliveEnd) {
      // `close` lets the requests in flight of the old pool end.
      void this.keepAlive?.close();
      this.keepAlive = new Pool(this.url.origin, { ...this.options, pipelining: 1 });
      this.keepAliveEnd = now + POOL_LIFE_MS;
    }
    return this.keepAlive;
  }

  /** Makes the function that opens connections. */
  private createConnector({ tls, attemptTimeoutMs }: Settings['external'], metrics: GatewayMetrics) {
    const { opening } = this;
    const { hostname } = this.url;
    const timeoutMs = Math.floor(CONNECT_SHARE * attemptTimeoutMs);
    const firstPhase = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? 'address of the host name' : 'connection';
    // The types of undici leave out that a connector returns its socket, also before that is connected.
    const connect = buildConnector({
      ...tls,
      // The dot at the end of an absolute host name is no part of a server name in TLS (RFC 6066, section 3).
      servername: hostname.endsWith('.') ? hostname.slice(0, -1) : undefined,
      // The timer below is exact; that of undici may be half a second late, and its error does not name what was missing.
      timeout: 0,
      lookup: sharedLookup,
      autoSelectFamily: true,
      // By default, Node tries another address of the host after 250 ms, which may be too short for a connection over a
      // long distance (D82).
      autoSelectFamilyAttemptTimeout: Math.ceil(attemptTimeoutMs / 2),
    }) as unknown as (...parameters: Parameters<buildConnector.connector>) => Socket;
    const connector: buildConnector.connector = (options, callback) => {
      const state: Connecting = { phase: firstPhase };
      opening.add(state);
      const socket = connect(options, (...result: Parameters<buildConnector.Callback>) => {
        opening.delete(state);
        clearTimeout(timer);
        const [, opened] = result;
        // With TLS 1.3, a server refuses a client certificate by an alert on the open connection, and then ends it.
        // undici would report that end; after `destroy`, the alert is the error, and the log can name it (D81).
        opened?.on('error', () => opened.destroy());
        const certificate = opened instanceof TLSSocket ? opened.getPeerX509Certificate() : undefined;
        if (certificate !== undefined) metrics.certificateSeen('server', certificate.validTo);
        callback(...result);
      });
      socket.once('lookup', () => (state.phase = 'connection')).once('connect', () => (state.phase = 'TLS handshake'));
      const timer = setTimeout(() => {
        socket.destroy(notConnected(state.phase, `${timeoutMs} ms`));
      }, timeoutMs);
    };
    return connector;
  }
}
