// The start of an application of a team, run by a test in a folder of its own.
import { Injectable, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AppModule, configureApp, createAdapter, SETTINGS, type Settings } from '../../../src';

const { FOLDER = '', STARTS = '' } = process.env;

@Injectable()
class TeamProvider implements OnModuleInit, OnApplicationShutdown {
  constructor() {
    if (STARTS === 'with an error') throw new Error('a provider of a team');
  }

  async onModuleInit(): Promise<void> {
    if (STARTS !== 'never') return;
    // A pending promise alone does not keep Node running: the process would end by itself, as if the signal had ended it.
    setInterval(() => undefined, 60_000);
    await new Promise(() => process.send?.({ starting: true }));
  }

  onApplicationShutdown(signal?: string): void {
    new Logger('Team').log(`The team's hook gets ${signal ?? 'no signal'}`);
  }
}

const lateProvider = {
  provide: 'late',
  useFactory: async () => {
    if (STARTS !== 'late') return;
    // The sandbox of the other module has been started by then.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    throw new Error('a provider of a team');
  },
};

@Module({ imports: [AppModule], providers: [TeamProvider, lateProvider] })
class TeamModule {}

async function bootstrap(): Promise<unknown> {
  if (STARTS === 'late') {
    const started = Test.createTestingModule({ imports: [TeamModule] }).compile();
    return started.catch((error: unknown) => process.stdout.write(String(error)));
  }
  const app = await NestFactory.create<NestFastifyApplication>(TeamModule, createAdapter());
  await configureApp(app);
  const { port, host } = app.get<Settings>(SETTINGS);
  return app.listen(port, host);
}

process.chdir(FOLDER);
void bootstrap();
