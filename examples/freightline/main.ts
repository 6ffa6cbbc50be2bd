import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../src/app.module';
import { configureApp, createAdapter } from '../../src/app.setup';
import { SETTINGS, type Settings } from '../../src/config/settings';
import { FreightlineProtocol } from './freightline.protocol';
import { FreightlineSystem } from './freightline-system';

/** Starts the stand-in, and the service on it. */
async function main(): Promise<void> {
  const system = await FreightlineSystem.start();
  process.env.EXTERNAL_SHIPPING_BASE_URL = system.url;
  const module = AppModule.withProtocol(FreightlineProtocol);
  const app = await NestFactory.create<NestFastifyApplication>(module, createAdapter(), { bufferLogs: true });
  await configureApp(app);
  const { port, host } = app.get<Settings>(SETTINGS);
  await app.listen(port, host);
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
