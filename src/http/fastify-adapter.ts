import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { METHODS } from 'node:http';
import { refuseBrokenRequest, refuseExpectation } from './broken-request';
import { setCommonHeaders } from './common-headers';
import { allowOrigin, answerPreflight, isPreflight } from './cors';
import { watchClients } from './departure';
import { parseQuery, type RawQuery } from './parameters/raw-query';
import { isOperation, OPERATIONS_PREFIX } from './paths';
import { prefersStrictHandling } from './prefer';
import { badParameters, type ProblemKind } from './problem';
import { frameworkKind, sendProblem } from './problem.filter';
import { MAX_HEADER_BYTES } from '../shipping/model/limits';
import { requestIdFrom } from './request-id';
import { traceRequests } from './request-spans';

const REQUEST_TIMEOUT_MS = 10_000;
const READ_METHODS = ['GET', 'HEAD'];
const OTHER_METHODS = METHODS.filter((method) => !READ_METHODS.includes(method) && method !== 'CONNECT');

/** Of every server that takes requests. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: REQUEST_TIMEOUT_MS,
  // Answered as a problem by us, where Node would answer with nothing but a status.
  requireHostHeader: false,
  // Node looks for late requests this often, every 30 s unless told otherwise.
  connectionsCheckingInterval: 1000,
};

/** What the server needs to know of the application. */
export interface AdapterOptions {
  /** Told of answers to requests that no hook sees, because no route could be looked up for them. */
  readonly onUnroutable: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Origins whose pages may read answers. Where there are any, browsers may ask what these may send. */
  readonly allowedOrigins: readonly string[];
  /** When a connection on which nothing moves is cut, in milliseconds. */
  readonly stalledAfterMs: number;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[];
  /** Whether a request to an operation may go on; where not, it has been answered. Asked where no hook runs. */
  readonly admits?: ((request: FastifyRequest, reply: FastifyReply) => Promise<boolean>) | undefined;
}

/**
 * The HTTP server: limits on what may come in, query strings kept as they came, a request id for everyone, common
 * headers, and 405 for whatever is not a read.
 */
export function createFastifyAdapter(options: AdapterOptions): FastifyAdapter {
  const { trustedProxies = [] } = options;
  const adapter = new FastifyAdapter({
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // Too long an identifier is a bad parameter and answered as one; the header limit bounds it.
      maxParamLength: MAX_HEADER_BYTES,
      querystringParser: (text) => parseQuery(text) as unknown as Record<string, unknown>,
    },
    http: SERVER_OPTIONS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: options.stalledAfterMs,
    // While draining, what comes on open connections is answered and its connection closed.
    return503OnClosing: false,
    requestIdHeader: false,
    ...(trustedProxies.length > 0 && { trustProxy: [...trustedProxies] }),
    genReqId: (request: IncomingMessage) => requestIdFrom(request.headers['x-request-id']),
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      void answerUnroutable(error, request, reply, options);
    },
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  for (const method of OTHER_METHODS) {
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
  }
  fastify.server.on('checkExpectation', refuseExpectation);
  watchClients(fastify);
  fastify.decorateRequest('trace', null);
  traceRequests(fastify);
  fastify.addHook('onRequest', receive);
  fastify.addHook('onRoute', (route) => {
    refuseOtherMethods(fastify, route, options.allowedOrigins.length > 0);
  });
  return adapter;
}

/** Runs before everything else, for every request that found its way to a route or to none. */
function receive(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
  setCommonHeaders(request, reply);
  if (!namesItsHost(request)) {
    reply.header('Connection', 'close');
    sendProblem(reply, request, frameworkKind(400));
    return;
  }
  // Nobody reads a body here, and what is left of it must not be taken for the next request.
  if (carriesBody(request)) reply.header('Connection', 'close');
  if (isOperation(request) && prefersStrictHandling(request.headers.prefer)) {
    (request.query as RawQuery).refuseUnknown = true;
  }
  next();
}

function carriesBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

async function answerUnroutable(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { admits, allowedOrigins, onUnroutable }: AdapterOptions,
): Promise<void> {
  const isGuarded = admits !== undefined && startsWith(request.url, OPERATIONS_PREFIX);
  allowOrigin(request, reply, allowedOrigins);
  setCommonHeaders(request, reply);
  if (allowedOrigins.length > 0 && isPreflight(request)) answerPreflight(reply);
  else if (!isGuarded || (await admits(request, reply))) {
    sendProblem(reply, request, unroutableKind(error, request.url));
  }
  onUnroutable(request, reply);
}

/** A path that cannot be decoded; of the lookup by identifier it is the identifier that is bad. */
function unroutableKind({ statusCode = 400 }: FastifyError, url: string): ProblemKind {
  if (statusCode !== 400) return frameworkKind(statusCode);
  const isLookup = startsWith(url, `${OPERATIONS_PREFIX}/GetShippingInfoById/`);
  return badParameters([{ parameter: isLookup ? 'id' : 'path', message: 'must be percent-encoded UTF-8' }]);
}

function startsWith(url: string, path: string): boolean {
  return url.toLowerCase().startsWith(path.toLowerCase());
}

/** Closes each connection with its next answer, as long as `isDraining` says so. */
export function closeConnectionsWhile(fastify: FastifyInstance, isDraining: () => boolean): void {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining()) reply.header('Connection', 'close');
    done();
  });
}

/** RFC 9112: a request of HTTP/1.1 names its host, and names it once. */
function namesItsHost({ raw }: FastifyRequest): boolean {
  let hosts = 0;
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = raw.rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0');
}

function refuseOtherMethods(fastify: FastifyInstance, { method, url }: RouteOptions, answersPreflights: boolean): void {
  if (method !== 'GET') return;
  fastify.route({
    method: OTHER_METHODS,
    url,
    // Before anything reads a body.
    onRequest: (request, reply) => {
      if (answersPreflights && isPreflight(request)) {
        answerPreflight(reply);
        return;
      }
      reply.header('Allow', READ_METHODS.join(', '));
      sendProblem(reply, request, frameworkKind(405));
    },
    handler: () => undefined,
  });
}
