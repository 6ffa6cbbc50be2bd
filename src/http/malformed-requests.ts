import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.filter';
import { PROBLEMS } from './problems';

/** Refuses requests that do not name their host once, and closes connections whose requests carry a body. */
export function refuseMalformedRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!namesItsHost(request)) {
      reply.header('Connection', 'close');
      sendProblem(reply, request, PROBLEMS.badRequest);
      return;
    }
    // No route reads a body, and the rest of a body must not be taken for the next request.
    if (hasBody(request)) reply.header('Connection', 'close');
    done();
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** RFC 9112: a request of HTTP/1.1 names its host, once. */
function namesItsHost({ raw }: FastifyRequest): boolean {
  let hosts = 0;
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = raw.rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0');
}
