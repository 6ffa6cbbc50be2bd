// The hand-written server with the usual libraries, so that it keeps promises like those of the service: validated
// parameters, described responses, security headers, ETags, compression, one log line a request, metrics, and calls with
// retries, a circuit breaker, a deadline and a bulkhead. The limits are the defaults of the service.
const {
  BulkheadRejectedError,
  BrokenCircuitError,
  bulkhead,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  SamplingBreaker,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
} = require('cockatiel');
const { fastify, LogController } = require('fastify');
const { destination } = require('pino');
const { collectDefaultMetrics, Histogram, register } = require('prom-client');
const { Pool } = require('undici');
const { detail, detailPath, lookupItems, lookupPath, page, pagePath } = require('./mapping');
const { detailSchema, lookupSchema, pageSchema } = require('./schemas');

const pool = new Pool(process.env.EXTERNAL_SHIPPING_BASE_URL ?? '', { connections: 64 });

class RejectedError extends Error {}

/** @param {unknown} error */
const isRefused = (error) => error instanceof BulkheadRejectedError || error instanceof BrokenCircuitError;
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

/** @param {string} path */
function call(path) {
  return policy.execute(async ({ signal }) => {
    const { statusCode, body } = await pool.request({ method: 'GET', path, signal });
    if (statusCode === 200) return /** @type {any} */ (body.json());
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

app.register(require('@fastify/helmet'));
app.register(require('@fastify/etag'));
app.register(require('@fastify/compress'));

app.addHook('onResponse', async (request, reply) => {
  const { method, routeOptions, log } = request;
  const { statusCode: status, elapsedTime } = reply;
  const route = routeOptions.url ?? 'none';
  duration.observe({ method, route, status }, elapsedTime / 1000);
  log.info({ method, route, status, durationMs: elapsedTime }, 'request');
});

app.setErrorHandler((error, request, reply) => {
  if (error.validation !== undefined) return reply.send(error);
  request.log.warn(error);
  const status = isRefused(error) ? 503 : error instanceof TaskCancelledError ? 504 : 502;
  return reply.status(status).send({ statusCode: status, message: error.message });
});

app.after(() => {
  app.get('/metrics', async (_, reply) => {
    reply.type(register.contentType);
    return register.metrics();
  });
  app.get('/api/Shipping/GetShippingPagedList', { schema: pageSchema }, async ({ query }) =>
    page(await call(pagePath(query))),
  );
  app.get('/api/Shipping/GetShippingDetails', { schema: lookupSchema }, async ({ query }) =>
    lookupItems(await call(lookupPath(query))),
  );
  app.get('/api/Shipping/GetShippingInfoById/:id', { schema: detailSchema }, async ({ params }) =>
    detail(await call(detailPath(params))),
  );
});

app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
