import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../config/settings';

const ALLOWED_HEADERS =
  'Prefer, X-Request-Id, If-None-Match, Authorization, X-API-Key, traceparent, tracestate, baggage, sentry-trace, ' +
  'Content-Type, X-Requested-With, Cache-Control, Pragma';

const EXPOSED_HEADERS =
  'Shipping-Completeness, Shipping-Ignored-Parameters, Date, ETag, Age, Link, Retry-After, Cache-Status, ' +
  'X-Request-Id, Preference-Applied, RateLimit, RateLimit-Policy';

/** Lets pages of the configured origins send requests, and read these headers of the responses (D55). */
export async function addCors(fastify: FastifyInstance, { corsOrigins, external }: Settings): Promise<void> {
  if (corsOrigins.length === 0) return;
  const rules = {
    origin: [...corsOrigins],
    methods: ['GET', 'HEAD'],
    allowedHeaders: [ALLOWED_HEADERS, ...external.forwardHeaders],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  };
  await fastify.register(cors, {
    delegator: ({ headers }, callback) => {
      const isPreflight = headers.origin !== undefined && 'access-control-request-method' in headers;
      callback(null, { ...rules, preflight: isPreflight });
    },
  });
}
