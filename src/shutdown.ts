import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { describeError } from './common/errors';
import { Lifecycle } from './health/lifecycle';
import { tracing } from './observability/tracing/tracing';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Until open connections are closed. */
const HARD_STOP_MS = 20_000;
/** Until the process exits; an orchestrator kills it after 30 s. */
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
    void drain(app, logger);
  };
  running.add(app);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHook('onClose', (_, done) => {
    // Tests close applications and go on.
    if (!draining) {
      running.delete(app);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    }
    done();
  });
}

async function drain(app: NestFastifyApplication, logger: Logger): Promise<void> {
  app.get(Lifecycle).state = 'draining';
  const hardStop = setTimeout(() => {
    logger.warn('Closing connections that are still open');
    app.getHttpServer().closeAllConnections();
  }, HARD_STOP_MS);
  setTimeout(() => {
    logger.error('Closing took too long');
    process.exit(1);
  }, DEADLINE_MS);
  try {
    await app.close();
  } catch (error) {
    logger.error(`Closing failed: ${describeError(error)}`);
  }
  clearTimeout(hardStop);
  // Requests of connections that were cut off are logged at the end of a turn.
  await setImmediate();
  await setImmediate();
  running.delete(app);
  if (running.size > 0) return;
  await tracing()?.shutdown();
  logger.info('Stopped');
  process.exit(0);
}
