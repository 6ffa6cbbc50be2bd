import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { configureApp, createAdapter } from './app.setup';
import { loadEnvFile, SETTINGS, type Settings } from './config/settings';

async function bootstrap(): Promise<void> {
  loadEnvFile();
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, createAdapter(), { bufferLogs: true });
  await configureApp(app);
  const { port, host } = app.get<Settings>(SETTINGS);
  await app.listen(port, host);
}

bootstrap().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
