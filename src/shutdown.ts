import type { NestApplicationContext } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Connections } from './common/connections';
import { describeError } from './common/errors';
import { Lifecycle } from './health/lifecycle';
import { tracing } from './observability/tracing/tracing';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Time from the signal until connections that are still open are closed. */
const HARD_STOP_MS = 20_000;
/** Time from the signal until the process exits in any case; an orchestrator kills it after 30 s. */
const DEADLINE_MS = 25_000;

/** The applications of this process that have not stopped. The last one ends the process, so that no other is cut off. */
const running = new Set<NestFastifyApplication>();

/** Graceful shutdown on SIGTERM or SIGINT: not ready at once, requests in progress are completed, the exit code is 0, or 1 after 25 s. */
export function drainOnSignals(app: NestFastifyApplication, logger: Logger): void {
  let draining = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (draining) return;
    draining = true;
    logger.info({ signal }, 'Draining');
    void drain(app, logger, signal);
  };
  running.add(app);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHook('onClose', (_, done) => {
    // A process that closes its application itself, such as a test, goes on and keeps no handler.
    if (!draining) {
      running.delete(app);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    }
    done();
  });
}

/** Nest hands the signal on to its shutdown hooks; its interface of applications leaves the parameter out. */
type Closable = Pick<NestApplicationContext, 'close'>;

/** Makes `app.close()` close the connections to other systems when the shutdown hooks of all modules have finished. */
export function closeConnectionsLast(app: NestFastifyApplication): void {
  const connections = app.get(Connections);
  connections.closeAfterHooks = true;
  const closable: Closable = app;
  const close = closable.close.bind(app);
  closable.close = (signal) => close(signal).finally(() => connections.close());
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
  await (app as Closable).close(signal).catch((error: unknown) => {
    logger.error(`Closing failed: ${describeError(error)}`);
  });
  clearTimeout(hardStop);
  // Requests of connections that were cut off are logged at the end of a turn of the event loop.
  await setImmediate();
  await setImmediate();
  running.delete(app);
  if (running.size > 0) return;
  await tracing()?.shutdown();
  logger.info('Stopped');
  process.exit(0);
}
