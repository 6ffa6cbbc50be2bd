import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, configureApp, createAdapter, loadEnvFile, SETTINGS, type Settings } from 'shipping-query-service';
import { ShipEngineProtocol } from './shipengine.protocol';
import { ShipEngineSystem } from './shipengine-system';

/**
 * Starts the service with ShipEngine as its external system, or with a stand-in for ShipEngine in this process where
 * `EXTERNAL_SHIPPING_BASE_URL` is not set.
 */
async function main(): Promise<void> {
  loadEnvFile();
  const { env } = process;
  if (env.EXTERNAL_SHIPPING_BASE_URL) env.EXTERNAL_SHIPPING_API_KEY_HEADER ??= 'API-Key';
  else env.EXTERNAL_SHIPPING_BASE_URL = (await ShipEngineSystem.start()).url;
  const module = AppModule.withProtocol(ShipEngineProtocol);
  const app = await NestFactory.create<NestFastifyApplication>(module, createAdapter(), { bufferLogs: true });
  await configureApp(app);
  const { port, host } = app.get<Settings>(SETTINGS);
  await app.listen(port, host);
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
