import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { METHODS } from 'node:http';
import { refuseBrokenRequest } from './broken-request';
import { parseQuery } from './parameters/raw-query';
import { prefersStrictHandling } from './prefer';
import { frameworkKind, sendProblem } from './problem.filter';
import { requestIdFrom } from './request-id';

/** Where the operations live; routes match ignoring case. */
export const OPERATIONS_PREFIX = '/api/Shipping';

const MAX_HEADER_BYTES = 16_384;
const REQUEST_TIMEOUT_MS = 10_000;
const READ_METHODS = ['GET', 'HEAD'];
const OTHER_METHODS = METHODS.filter((method) => !READ_METHODS.includes(method) && method !== 'CONNECT');

/** Writes what the answer of a request no route sees would otherwise lack: its log line. */
export type OnUnroutable = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * The HTTP server: limits on what may come in, query strings kept as they came, a request id for everyone, common
 * headers, and 405 for whatever is not a read.
 */
export function createFastifyAdapter(onUnroutable: OnUnroutable): FastifyAdapter {
  const adapter = new FastifyAdapter({
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // Too long an identifier is a bad parameter and answered as one; the header limit bounds it.
      maxParamLength: MAX_HEADER_BYTES,
      querystringParser: (text) => parseQuery(text) as unknown as Record<string, unknown>,
    },
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: REQUEST_TIMEOUT_MS },
    requestTimeout: REQUEST_TIMEOUT_MS,
    requestIdHeader: false,
    genReqId: (request: IncomingMessage) => requestIdFrom(request.headers['x-request-id']),
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      setCommonHeaders(request, reply);
      sendProblem(reply, request, frameworkKind(error.statusCode ?? 400));
      onUnroutable(request, reply);
    },
  });
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  for (const method of OTHER_METHODS) {
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
  }
  fastify.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    done();
  });
  fastify.addHook('onRoute', (route) => {
    refuseOtherMethods(fastify, route);
  });
  return adapter;
}

/** Headers of every answer; routes overwrite `Cache-Control` where an answer may be stored. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id).header('Vary', 'Prefer').header('Cache-Control', 'no-store');
  if (prefersStrictHandling(request.headers.prefer) && isOperation(request)) {
    reply.header('Preference-Applied', 'handling=strict');
  }
}

function isOperation(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith(OPERATIONS_PREFIX) === true;
}

function refuseOtherMethods(fastify: FastifyInstance, { method, url }: RouteOptions): void {
  if (method !== 'GET') return;
  fastify.route({
    method: OTHER_METHODS,
    url,
    // Before anything reads a body.
    onRequest: (request, reply) => {
      reply.header('Allow', READ_METHODS.join(', '));
      sendProblem(reply, request, frameworkKind(405));
    },
    handler: () => undefined,
  });
}
