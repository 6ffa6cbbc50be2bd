import type { FastifyReply } from 'fastify';
import { type ProblemDefinition, PROBLEMS } from '../problems/problem-definitions';
import type { BoundedServer } from '../server/bounded-server';
import type { Refusal } from './on-arrival';
import type { Overload, RequestMetrics } from './request-log';

const OVERLOADED = { ...PROBLEMS.overloaded, retryAfterMs: 1000 };
/**
 * Every 503 for overload has this header, with the cause of the overload as its value. By it a balancer recognises that
 * another replica may serve the request. The 503 by which `handling=strict` reports a failed external system (D21)
 * lacks it. HAProxy and nginx choose another replica by no header of the response. They send this header in requests,
 * with the value `close`: the service then closes the connection instead of responding, and they try another replica.
 */
const OVERLOAD_HEADER = 'shipping-overload';

/** Refuses all requests except those for probes and metrics while the service is overloaded (503, D34 and D59). */
export function refusalForOverload(server: BoundedServer, metrics: RequestMetrics, maxActiveRequests: number): Refusal {
  return ({ record }, reply) => {
    if (record.route.config.purpose === 'management') return undefined;
    if (server.active > maxActiveRequests) return shed(reply, metrics, 'active-requests');
    return server.isFull ? shed(reply, metrics, 'unsent-bytes') : undefined;
  };
}

/** Sheds a request: counts it, closes its connection where the client asks for that, and marks its response. */
export function shed(reply: FastifyReply, metrics: RequestMetrics, cause: Overload): ProblemDefinition {
  const { headers, raw } = reply.request;
  metrics.shed.inc({ cause });
  if (headers[OVERLOAD_HEADER] === 'close') raw.socket.destroy();
  reply.header(OVERLOAD_HEADER, cause);
  return OVERLOADED;
}
