import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendProblem } from '../problems/problem.filter';
import { ProblemException, PROBLEMS } from '../problems/problem-definitions';
import { purposeOf } from '../routing/paths';
import type { BoundedServer } from '../server/bounded-server';
import type { Overload, RequestMetrics } from './request.metrics';

const OVERLOADED = { ...PROBLEMS.overloaded, retryAfterMs: 1000 };
/**
 * Every 503 for overload has this header, with the cause of the overload as its value. By it a balancer recognises that
 * another replica may serve the request. The 503 by which `handling=strict` reports a failed external system (D21)
 * lacks it. HAProxy and nginx choose another replica by no header of the response. They send this header in requests,
 * with the value `close`: the service then closes the connection instead of responding, and they try another replica.
 */
const OVERLOAD_HEADER = 'shipping-overload';

/**
 * Rejects all requests except those for probes and metrics while the service is overloaded, before guards and handlers
 * run (503, D34 and D59).
 */
export function shedLoad(fastify: FastifyInstance, metrics: RequestMetrics, maxActiveRequests: number): void {
  const server = fastify.server as BoundedServer;
  const overload = (): Overload | undefined => {
    if (server.active > maxActiveRequests) return 'active-requests';
    return server.isFull ? 'unsent-bytes' : undefined;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const cause = overload();
    if (cause === undefined || purposeOf(request) === 'management') {
      done();
      return;
    }
    sendProblem(reply, shed(reply, metrics, cause).definition);
  });
}

/**
 * Sheds a request: counts it, closes its connection where the client asks for that, and marks its response, which the
 * exception makes a 503.
 */
export function shed(reply: FastifyReply, metrics: RequestMetrics, cause: Overload): ProblemException {
  const { headers, raw } = reply.request;
  metrics.shed.inc({ cause });
  if (headers[OVERLOAD_HEADER] === 'close') raw.socket.destroy();
  reply.header(OVERLOAD_HEADER, cause);
  return new ProblemException(OVERLOADED);
}
