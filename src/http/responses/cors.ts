import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Headers that pages of other origins may send to any API. */
const ALLOWED_HEADERS = [
  'Accept',
  'Content-Type',
  'Prefer',
  'X-Request-Id',
  'X-Requested-With',
  'traceparent',
  'If-None-Match',
  'Cache-Control',
  'Pragma',
  'Authorization',
  'X-API-Key',
];

/** Headers that they may read of any response. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Link',
  'ETag',
  'Date',
  'Retry-After',
  'Preference-Applied',
  'Cache-Status',
  'Age',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
];

/** The origins whose pages may read responses, and the headers besides those of every API that they may send and read. */
export interface CorsRules {
  readonly origins: readonly string[];
  readonly allowed: readonly string[];
  readonly exposed: readonly string[];
}

const PREFLIGHT_SECONDS = 600;

/** Lets pages of the origins read responses. Preflights reach the routes of {@link respondToPreflight}. */
export async function allowOrigins(fastify: FastifyInstance, { origins, exposed }: CorsRules): Promise<void> {
  if (origins.length === 0) return;
  await fastify.register(cors, {
    origin: [...origins],
    exposedHeaders: [...exposed, ...EXPOSED_HEADERS],
    preflight: false,
  });
}

/** Whether a browser asks which requests a page may send. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  const requested = headers['access-control-request-method'];
  return method === 'OPTIONS' && headers.origin !== undefined && requested !== undefined;
}

/** Lists what pages may send. Whether this origin may, is in the header of {@link allowOrigins}. */
export function respondToPreflight(reply: FastifyReply, methods: readonly string[], { allowed }: CorsRules): void {
  reply
    .status(204)
    .header('Access-Control-Allow-Methods', methods.join(', '))
    .header('Access-Control-Allow-Headers', [...ALLOWED_HEADERS, ...allowed].join(', '))
    .header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
    .send();
}
