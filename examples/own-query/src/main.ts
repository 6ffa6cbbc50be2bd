// src/main.ts
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, configureApp, createAdapter, SETTINGS, type Settings } from 'shipping-query-service';
import { CountModule } from './count.module.js';

@Module({ imports: [AppModule, CountModule] })
class TeamAppModule {}

async function bootstrap(): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(TeamAppModule, createAdapter(), { bufferLogs: true });
  await configureApp(app);
  const { port, host } = app.get<Settings>(SETTINGS);
  await app.listen(port, host);
}

void bootstrap();
