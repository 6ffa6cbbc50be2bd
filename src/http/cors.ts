import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Headers that pages of other origins may send and read. */
export interface CorsHeaders {
  readonly allowed: readonly string[];
  readonly exposed: readonly string[];
}

const PREFLIGHT_SECONDS = 600;

/** Lets pages of these origins read responses. Preflights reach the routes of {@link respondToPreflight}. */
export async function allowOrigins(
  fastify: FastifyInstance,
  origins: readonly string[],
  { exposed }: CorsHeaders,
): Promise<void> {
  if (origins.length === 0) return;
  await fastify.register(cors, { origin: [...origins], exposedHeaders: [...exposed], preflight: false });
}

/** Whether a browser asks which requests a page may send. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  const requested = headers['access-control-request-method'];
  return method === 'OPTIONS' && headers.origin !== undefined && requested !== undefined;
}

/** Lists what pages may send. Whether this origin may, is in the header of {@link allowOrigins}. */
export function respondToPreflight(reply: FastifyReply, methods: readonly string[], { allowed }: CorsHeaders): void {
  reply
    .status(204)
    .header('Access-Control-Allow-Methods', methods.join(', '))
    .header('Access-Control-Allow-Headers', allowed.join(', '))
    .header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
    .send();
}
