import compress from '@fastify/compress';
import etag from '@fastify/etag';
import helmet from '@fastify/helmet';
import * as cockatiel from 'cockatiel';
import { fastify, LogController } from 'fastify';
import { destination } from 'pino';
import { collectDefaultMetrics, Histogram } from 'prom-client';
import { Pool } from 'undici';
import { type ExternalPage, pagePath, type PageQuery, toPage } from './mapping';
import { schema } from './paged-list.schema';

/*
 * The bare server with the usual libraries, for most of what the service does: validated parameters, described
 * responses, security headers, ETags, compression, a log line for each request, metrics, and calls with retries, a
 * circuit breaker, a deadline and a bulkhead. The limits are the defaults of the service.
 */

const pool = new Pool(process.env.EXTERNAL_SHIPPING_BASE_URL ?? '', { connections: 64 });

class RejectedError extends Error {}

const isRefused = (error: Error): boolean =>
  error instanceof cockatiel.BulkheadRejectedError || error instanceof cockatiel.BrokenCircuitError;
const failures = cockatiel.handleWhen((error) => !isRefused(error) && !(error instanceof RejectedError));
const policy = cockatiel.wrap(
  cockatiel.retry(failures, {
    maxAttempts: 2,
    backoff: new cockatiel.ExponentialBackoff({ initialDelay: 100, maxDelay: 1000 }),
  }),
  cockatiel.circuitBreaker(failures, {
    halfOpenAfter: 5000,
    breaker: new cockatiel.SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 2 }),
  }),
  cockatiel.timeout(2000, { strategy: cockatiel.TimeoutStrategy.Cooperative, abortOnReturn: false }),
  cockatiel.bulkhead(64, 1024),
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

// The service writes its log in blocks of many lines. This server does so, too: a write for each line would slow it
// alone.
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

app.after(() => {
  app.get<{ Querystring: PageQuery }>('/api/Shipping/GetShippingPagedList', { schema }, async ({ query }) =>
    toPage((await call(pagePath(query))) as ExternalPage),
  );
});

void app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
