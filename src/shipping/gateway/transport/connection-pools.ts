import { X509Certificate } from 'node:crypto';
import { Pool } from 'undici';
import type { Connections } from '../../../common/connections';
import type { Settings } from '../../../config/settings';
import type { GatewayMetrics } from '../gateway.metrics';
import { type Connector, createConnector, warnOfExpiry } from './connector';

/**
 * Idle connections are closed after this time, before servers close them: 5 s is a common default, and a request that
 * is sent on a connection just as the server closes it is lost.
 */
const IDLE_CONNECTION_MS = 4000;
/** After this time, requests get new connections, for which the host name is resolved again (D82). */
const POOL_LIFE_MS = 60_000;

/** The connections to the external system: those that requests use again, and those for one request each. */
export class ConnectionPools {
  readonly connector: Connector;
  /**
   * Opens a connection for each request. A request whose connection was lost is sent again through it (D61): the other
   * open connections to a system that has restarted may be lost as well.
   */
  readonly singleUse: Pool;
  private readonly options: Pool.Options;
  private keepAlive: Pool | undefined;
  private keepAliveEnd = 0;

  constructor(
    private readonly url: URL,
    { external }: Settings,
    metrics: GatewayMetrics,
    connections: Connections,
  ) {
    this.connector = createConnector(url, external, metrics);
    this.options = {
      connect: this.connector.connect,
      connections: external.maxConcurrent,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    };
    this.singleUse = new Pool(url.origin, { ...this.options, connections: undefined, pipelining: 0 });
    const { cert } = external.tls;
    if (cert !== undefined) {
      const { validTo } = new X509Certificate(cert);
      metrics.certificateSeen('client', validTo);
      connections.add(warnOfExpiry(validTo));
    }
    // `destroy` ends requests in flight, too.
    connections.add(() => Promise.all([this.keepAlive?.destroy(), this.singleUse.destroy()]));
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
}
