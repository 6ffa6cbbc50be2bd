import { compile } from '@fastify/proxy-addr';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { MAX_HEADER_BYTES } from '../../common/bounds';
import type { Settings } from '../../config/settings';
import { withoutPort } from '../../common/addresses';
import { ClientErrors } from './client-error';
import { BoundedServer, Connections } from './connections';
import { requestIdFrom } from '../requests/request-id';
import { routableTarget } from './malformed-requests';

declare module 'fastify' {
  interface FastifyInstance {
    /** Responds to requests that never reach Fastify. */
    readonly clientErrors: ClientErrors;
    /** The connections of its servers. */
    readonly connections: Connections;
  }
}

const REQUEST_TIMEOUT_MS = 10_000;
/** How long a client may take no byte of a response. */
const UNREAD_RESPONSE_MS = 30_000;
/** Requests after which a connection is closed, so that long-lived clients are balanced anew over the replicas. */
const MAX_REQUESTS_PER_CONNECTION = 100_000;
/** Connections for each request that may be in progress: most of the others are idle between two requests. */
const CONNECTIONS_PER_REQUEST = 4;
/** Room for probes and metrics where few requests may be in progress. */
const MIN_CONNECTIONS = 256;

const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: REQUEST_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  // Longer than balancers keep idle connections: theirs have to end first.
  keepAliveTimeout: 72_000,
  // Node would answer with a bare status; the hooks answer with a problem.
  requireHostHeader: false,
  // How often Node looks for late requests; its default is 30 s.
  connectionsCheckingInterval: 1000,
};

/** The HTTP server: limits of requests, unparsed query strings, a request id for each request. */
export function createFastifyAdapter({ trustedProxies, maxActiveRequests }: Settings): FastifyAdapter {
  const connections = new Connections();
  const clientErrors = new ClientErrors(connections);
  const maxConnections = Math.max(MIN_CONNECTIONS, CONNECTIONS_PER_REQUEST * maxActiveRequests);
  const adapter = new FastifyAdapter({
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // Validation refuses identifiers that are too long; the header limit bounds them.
      maxParamLength: MAX_HEADER_BYTES,
    },
    rewriteUrl: routableTarget,
    // Nest would register middleware before the hooks that refuse requests; `addHooks` registers it after them.
    skipMiddie: true,
    serverFactory: (listener: RequestListener) => createHttpServer(listener, connections, maxConnections),
    // While draining, requests on open connections are served and their connections closed.
    return503OnClosing: false,
    requestIdHeader: false,
    ...(trustedProxies.length > 0 && { trustProxy: trusting(trustedProxies) }),
    genReqId: (request: IncomingMessage) => requestIdFrom(request.headers['x-request-id']),
    clientErrorHandler: clientErrors.handle,
  });
  adapter.getInstance<FastifyInstance>().decorate('clientErrors', clientErrors).decorate('connections', connections);
  return adapter;
}

/** Whether an address of `X-Forwarded-For`, with or without a port, is that of a proxy. */
function trusting(proxies: readonly string[]): (address: string, hop: number) => boolean {
  const isTrusted = compile([...proxies]);
  return (address, hop) => isTrusted(withoutPort(address), hop);
}

/** Creates an HTTP server with the limits of the service; its `clientError` event is left to the caller. */
export function createHttpServer(listener: RequestListener, connections: Connections, maxConnections: number): Server {
  const server = new BoundedServer(SERVER_OPTIONS, listener, connections);
  server.maxConnections = maxConnections;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  // Node would silently drop those beyond the thousandth, such as `Authorization`; their size is bounded.
  server.maxHeadersCount = 0;
  // Deadlines bound the requests in progress.
  server.setTimeout(UNREAD_RESPONSE_MS, (socket) => {
    if (!connections.isWorkingFor(socket)) socket.destroy();
  });
  // Node would answer an unknown `Expect` with a bare status; the hooks answer with a problem.
  return server.on('checkExpectation', connections.bound(listener));
}
