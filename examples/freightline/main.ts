import { pino } from 'pino';
import { createApp } from '../../src/app.setup';
import { readSettings } from '../../src/config/settings';
import { Lifecycle } from '../../src/health/lifecycle';
import { ShippingProtocol } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { drainOnSignals } from '../../src/shutdown';
import { FreightlineProtocol } from './freightline.protocol';
import { FreightlineSystem } from './freightline-system';

/** Starts the stand-in, and the service on it. The line with `overrides` binds the protocol. */
async function main(): Promise<void> {
  const system = await FreightlineSystem.start();
  const settings = readSettings({ ...process.env, EXTERNAL_SHIPPING_BASE_URL: system.url });
  const logger = pino({ level: settings.logLevel });
  const overrides = [{ provide: ShippingProtocol, useValue: new FreightlineProtocol() }];
  const app = await createApp(settings, logger, { overrides });
  drainOnSignals(app, logger);
  await app.listen(settings.port, settings.host);
  app.get(Lifecycle).started();
  logger.info(`Listening on ${await app.getUrl()}, external system Freightline on ${system.url}`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
