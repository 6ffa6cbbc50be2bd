import { pino } from 'pino';
import { createApp } from '../../src/app.setup';
import { readSettings } from '../../src/config/settings';
import { Lifecycle } from '../../src/health/lifecycle';
import { drainOnSignals } from '../../src/shutdown';
import { FreightlineProtocol } from './freightline.protocol';
import { FreightlineSystem } from './freightline-system';

/** Starts the stand-in, and the service on it. `createApp` gets the protocol. */
async function main(): Promise<void> {
  const system = await FreightlineSystem.start();
  const settings = readSettings({ ...process.env, EXTERNAL_SHIPPING_BASE_URL: system.url });
  const logger = pino({ level: settings.logLevel });
  const app = await createApp(settings, logger, { protocol: FreightlineProtocol });
  drainOnSignals(app, logger);
  await app.listen(settings.port, settings.host);
  app.get(Lifecycle).started();
  logger.info(`Listening on ${await app.getUrl()}, external system Freightline on ${system.url}`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
