import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Headers that pages of other origins may send to any API. */
const ALLOWED_HEADERS =
  'Prefer, X-Request-Id, If-None-Match, Authorization, X-API-Key, traceparent, Content-Type, X-Requested-With, Cache-Control, Pragma';

/** Headers that they may read of any response. */
const EXPOSED_HEADERS =
  'Date, ETag, Age, Link, Retry-After, Cache-Status, X-Request-Id, Preference-Applied, RateLimit, RateLimit-Policy';

const PREFLIGHT_SECONDS = 600;

/** The origins whose pages may read responses, and the headers besides those of any API that they may send and read. */
export interface CorsRules {
  readonly origins: readonly string[];
  readonly allowed: readonly string[];
  readonly exposed: readonly string[];
}

/** Lets pages of the origins send requests and read responses. `OPTIONS` that is no preflight is left to the routes. */
export async function addCors(fastify: FastifyInstance, { origins, allowed, exposed }: CorsRules): Promise<void> {
  const rules = {
    origin: [...origins],
    methods: ['GET', 'HEAD'],
    allowedHeaders: [ALLOWED_HEADERS, ...allowed],
    exposedHeaders: [...exposed, EXPOSED_HEADERS],
    maxAge: PREFLIGHT_SECONDS,
  };
  const withoutPreflight = { ...rules, preflight: false };
  await fastify.register(cors, {
    delegator: (request, callback) => {
      callback(null, isPreflight(request) ? rules : withoutPreflight);
    },
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && 'access-control-request-method' in headers;
}
