import { compile } from '@fastify/proxy-addr';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { MAX_HEADER_BYTES } from '../common/bounds';
import { withoutPort } from '../config/value-formats';
import { ClientErrors } from './client-error';
import { boundPipelining } from './pipelining';
import { RawQuery } from './query-string';
import { requestIdFrom } from './request-id';
import { routableTarget } from './request-target';

declare module 'fastify' {
  interface FastifyInstance {
    /** Responds to requests that never reach Fastify. */
    readonly clientErrors: ClientErrors;
  }
}

const REQUEST_TIMEOUT_MS = 10_000;
/** Requests after which a connection is closed, so that long-lived clients are balanced anew over the replicas. */
const MAX_REQUESTS_PER_CONNECTION = 100_000;
const DEFAULT_MAX_ACTIVE_REQUESTS = 4096;
/** Connections for each request that may be in progress: most of the others are idle between two requests. */
const CONNECTIONS_PER_REQUEST = 4;
/** Room for probes and metrics where few requests may be in progress. */
const MIN_CONNECTIONS = 256;

/** Options of every HTTP server of the process. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: REQUEST_TIMEOUT_MS,
  // Node would answer with a bare status; `refuseMalformedRequests` answers with a problem.
  requireHostHeader: false,
  // How often Node looks for late requests; its default is 30 s.
  connectionsCheckingInterval: 1000,
};

/** What the HTTP server needs of the settings. */
export interface AdapterOptions {
  /** When an idle connection is closed, in milliseconds. */
  readonly connectionTimeoutMs: number;
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Requests that may be in progress. */
  readonly maxActiveRequests?: number;
}

/** The HTTP server: limits of requests, unparsed query strings, a request id for each request. */
export function createFastifyAdapter({
  connectionTimeoutMs,
  trustedProxies = [],
  maxActiveRequests = DEFAULT_MAX_ACTIVE_REQUESTS,
}: AdapterOptions): FastifyAdapter {
  const clientErrors = new ClientErrors();
  const adapter = new FastifyAdapter({
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // Validation refuses identifiers that are too long; the header limit bounds them.
      maxParamLength: MAX_HEADER_BYTES,
      querystringParser: (text) => new RawQuery(text) as unknown as Record<string, unknown>,
    },
    rewriteUrl: routableTarget,
    http: SERVER_OPTIONS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: connectionTimeoutMs,
    // While draining, requests on open connections are served and their connections closed.
    return503OnClosing: false,
    requestIdHeader: false,
    ...(trustedProxies.length > 0 && { trustProxy: trusting(trustedProxies) }),
    genReqId: (request: IncomingMessage) => requestIdFrom(request.headers['x-request-id']),
    maxRequestsPerSocket: MAX_REQUESTS_PER_CONNECTION,
    clientErrorHandler: clientErrors.handle,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  fastify.decorate('clientErrors', clientErrors);
  const { server } = fastify;
  server.on('checkExpectation', clientErrors.handleUnknownExpectation);
  server.maxConnections = Math.max(MIN_CONNECTIONS, CONNECTIONS_PER_REQUEST * maxActiveRequests);
  wrapListener(server, maxActiveRequests);
  return adapter;
}

/** Whether an address of `X-Forwarded-For`, with or without a port, is that of a proxy. */
function trusting(proxies: readonly string[]): (address: string, hop: number) => boolean {
  const isTrusted = compile([...proxies]);
  return (address, hop) => isTrusted(withoutPort(address), hop);
}

/** Fastify registers its listener as it creates the server. */
function wrapListener(server: Server, maxWaiting: number): void {
  const [listener] = server.listeners('request') as RequestListener[];
  if (listener === undefined) throw new Error('Fastify registered no listener');
  server.removeListener('request', listener);
  server.on('request', boundPipelining(listener, maxWaiting));
}
