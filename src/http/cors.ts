import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COMPLETENESS_HEADER } from './completeness-header';

const ALLOWED_HEADERS = [
  'Accept',
  'Prefer',
  'X-Request-Id',
  'traceparent',
  'If-None-Match',
  'Cache-Control',
  'Authorization',
  'X-API-Key',
];
const EXPOSED_HEADERS = [
  COMPLETENESS_HEADER,
  'X-Request-Id',
  'Link',
  'ETag',
  'Retry-After',
  'Preference-Applied',
  'Cache-Status',
  'Age',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
];
const PREFLIGHT_SECONDS = 600;

/** Lets pages of these origins read answers; preflights are answered by {@link answerPreflight}. */
export function allowOrigins(app: NestFastifyApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.enableCors({ origin: [...origins], exposedHeaders: EXPOSED_HEADERS, preflight: false });
}

/** Does what the hook of {@link allowOrigins} does, for an answer that no hook sees. */
export function allowOrigin({ headers }: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  if (origins.length === 0) return;
  reply.header('Vary', 'Origin');
  if (headers.origin === undefined || !origins.includes(headers.origin)) return;
  reply.header('Access-Control-Allow-Origin', headers.origin);
  reply.header('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '));
}

/** Whether a browser asks, on behalf of a page, what it may send. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  const asked = headers['access-control-request-method'];
  return method === 'OPTIONS' && headers.origin !== undefined && asked !== undefined;
}

/** Tells what may be sent; whether by this origin, the header that allows it tells. */
export function answerPreflight(reply: FastifyReply): void {
  reply
    .status(204)
    .header('Access-Control-Allow-Methods', 'GET, HEAD')
    .header('Access-Control-Allow-Headers', ALLOWED_HEADERS.join(', '))
    .header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
    .send();
}
