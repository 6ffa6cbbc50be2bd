import compress from '@fastify/compress';
import etag from '@fastify/etag';
import helmet from '@fastify/helmet';
import {
  BrokenCircuitError,
  bulkhead,
  BulkheadRejectedError,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  SamplingBreaker,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';
import { fastify, type FastifyError, LogController } from 'fastify';
import { destination } from 'pino';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';
import { Pool } from 'undici';
import {
  detailPath,
  type ExternalDetail,
  type ExternalPage,
  pagePath,
  type PageQuery,
  toDetail,
  toPage,
} from './mapping';
import { detailSchema, pageSchema } from './schemas';

/*
 * The hand-written server with the usual libraries, so that it keeps promises like those of the service: validated
 * parameters, described responses, security headers, ETags, compression, one log line a request, metrics, and calls with
 * retries, a circuit breaker, a deadline and a bulkhead. The limits are the defaults of the service.
 */

const pool = new Pool(process.env.EXTERNAL_SHIPPING_BASE_URL ?? '', { connections: 64 });

class RejectedError extends Error {}

const isRefused = (error: Error): boolean =>
  error instanceof BulkheadRejectedError || error instanceof BrokenCircuitError;
const failures = handleWhen((error) => !isRefused(error) && !(error instanceof RejectedError));
const policy = wrap(
  retry(failures, { maxAttempts: 2, backoff: new ExponentialBackoff({ initialDelay: 100, maxDelay: 1000 }) }),
  circuitBreaker(failures, {
    halfOpenAfter: 5000,
    breaker: new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 2 }),
  }),
  timeout(2000, { strategy: TimeoutStrategy.Cooperative, abortOnReturn: false }),
  bulkhead(64, 1024),
);

function call(path: string): Promise<unknown> {
  return policy.execute(async ({ signal }) => {
    const { statusCode, body } = await pool.request({ method: 'GET', path, signal });
    if (statusCode === 200) return body.json();
    await body.dump();
    if (statusCode < 500) throw new RejectedError(`The external system rejected the request with ${statusCode}`);
    throw new Error(`The external system failed with ${statusCode}`);
  });
}

// Lines are written in blocks, as those of the service are.
const app = fastify({
  logger: { stream: destination({ minLength: 15_000, periodicFlush: 100 }) },
  logController: new LogController({ disableRequestLogging: true }),
});

collectDefaultMetrics();
const duration = new Histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Duration of requests',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

void app.register(helmet);
void app.register(etag);
void app.register(compress);

app.addHook('onResponse', (request, reply, done) => {
  const { method, routeOptions, log } = request;
  const { statusCode: status, elapsedTime } = reply;
  const route = routeOptions.url ?? 'none';
  duration.observe({ method, route, status }, elapsedTime / 1000);
  log.info({ method, route, status, durationMs: elapsedTime }, 'request');
  done();
});

app.setErrorHandler((error: FastifyError, request, reply) => {
  if (error.validation !== undefined) return reply.send(error);
  request.log.warn(error);
  const status = isRefused(error) ? 503 : error instanceof TaskCancelledError ? 504 : 502;
  return reply.status(status).send({ statusCode: status, message: error.message });
});

app.after(() => {
  app.get('/metrics', async (_, reply) => {
    void reply.type(register.contentType);
    return register.metrics();
  });
  app.get<{ Querystring: PageQuery }>('/api/Shipping/GetShippingPagedList', { schema: pageSchema }, async ({ query }) =>
    toPage((await call(pagePath(query))) as ExternalPage),
  );
  app.get<{ Params: { id: string } }>(
    '/api/Shipping/GetShippingInfoById/:id',
    { schema: detailSchema },
    async ({ params }) => toDetail((await call(detailPath(params.id))) as ExternalDetail),
  );
});

void app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
