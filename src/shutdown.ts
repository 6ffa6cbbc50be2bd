import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { Lifecycle } from './health/lifecycle';
import { tracing } from './telemetry/tracing';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** When connections that are still open are cut: an orchestrator that waits 30 s kills after that. */
const HARD_STOP_MS = 20_000;

/**
 * Ends the process well on SIGTERM or SIGINT: it reports not ready at once, answers what is in flight and closes each
 * connection with it, then exits 0. Clients that hold on are cut off. Further signals change nothing.
 */
export function drainOnSignals(app: NestFastifyApplication, logger: Logger): void {
  let draining = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (draining) return;
      draining = true;
      logger.info({ signal }, 'Draining');
      void drain(app, logger);
    });
  }
}

async function drain(app: NestFastifyApplication, logger: Logger): Promise<void> {
  app.get(Lifecycle).draining();
  const hardStop = setTimeout(() => {
    logger.warn('Cutting off connections that are still open');
    app.getHttpServer().closeAllConnections();
  }, HARD_STOP_MS);
  try {
    await app.close();
  } catch (error) {
    logger.error({ error: error instanceof Error ? error.name : typeof error }, 'Closing failed');
  }
  clearTimeout(hardStop);
  await tracing()?.shutdown();
  logger.info('Stopped');
  process.exit(0);
}
