import type { NestApplicationContext } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SIGNALS, stopExitingOnSignals } from './common/signals';
import { Lifecycle } from './health/health.module';
import { Tracing } from './observability/tracing/tracing';

/** Milliseconds from the signal until connections that are still open are closed, whatever clients have yet to read. */
const HARD_STOP_MS = 20_000;
/** Milliseconds from the signal until the process exits in any case; orchestrators kill it after 30 s by default. */
const DEADLINE_MS = 25_000;

/**
 * Shuts the application down gracefully on SIGTERM, SIGINT or SIGHUP: it reports not ready at once, completes the
 * requests in progress, and ends the process with 0, or with 1 after 25 s (D27).
 */
export function drainOnSignals(app: NestFastifyApplication, logger: Logger): void {
  let draining = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (draining) return;
    draining = true;
    logger.info({ signal }, 'Draining');
    void drain(app, logger, signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHook('onClose', (_, done) => {
    stopExitingOnSignals();
    // Where the application is closed without a signal, as by a test, the process goes on: its later signals must not
    // reach the handler of an application that is closed.
    if (!draining) for (const signal of SIGNALS) process.off(signal, onSignal);
    done();
  });
}

async function drain(app: NestFastifyApplication, logger: Logger, signal: NodeJS.Signals): Promise<void> {
  app.get(Lifecycle).state = 'draining';
  const hardStop = setTimeout(() => {
    logger.warn('Closing connections that are still open');
    app.getHttpServer().closeAllConnections();
  }, HARD_STOP_MS);
  setTimeout(() => {
    logger.error('Closing took too long');
    process.exit(1);
  }, DEADLINE_MS);
  // Nest passes the signal to shutdown hooks, but `close` of `NestFastifyApplication` is declared without its parameter.
  await (app as Pick<NestApplicationContext, 'close'>).close(signal).catch((error: unknown) => {
    logger.error({ err: error }, 'Closing failed');
  });
  clearTimeout(hardStop);
  // Requests on connections that the hard stop closed are logged when Node emits `close`, after the immediates of a
  // turn of the event loop: with the second immediate, their lines are written before the process exits.
  await setImmediate();
  await setImmediate();
  await Tracing.installed?.shutdown();
  logger.info('Stopped');
  process.exit(0);
}
