import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { SandboxVariant } from '../config/sandbox.settings';
import { generateRecords } from './record-generator';
import { SandboxController } from './sandbox.controller';
import type { ShippingRecord } from './shipping-record';
import { ShippingRepository } from './shipping.repository';

/** The stand-in external shipping system, over a repository that is built beforehand. */
@Module({})
class SandboxModule {
  static over(repository: ShippingRepository): DynamicModule {
    return {
      module: SandboxModule,
      controllers: [SandboxController],
      providers: [{ provide: ShippingRepository, useValue: repository }],
    };
  }
}

// Longer than the router's own limit of 100 characters, so that a long identifier is simply not found.
const LONGEST_PATH_PARAMETER = 1_000;

export interface SandboxOptions {
  /** 0 for any free port. */
  port: number;
  /** 127.0.0.1 where left out. */
  host?: string;
  /** How many records to generate, or the records themselves. */
  records: number | readonly ShippingRecord[];
  variant: SandboxVariant;
}

export interface RunningSandbox {
  /** The root under which the operations' paths begin, without a trailing slash. */
  url: string;
  /** Ends the server at once, open connections included. */
  close(): Promise<void>;
}

/**
 * Builds the data and starts the sandbox in this process. Building is synchronous and takes seconds per 100,000
 * records; `startEmbeddedSandbox` keeps that off the event loop.
 *
 * @throws where it cannot listen, for example because the port is taken
 */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const { port, host = '127.0.0.1' } = options;
  const repository = buildRepository(options);
  const app = await createApplication(repository);
  const close = async (): Promise<void> => {
    const closed = app.close();
    app.getHttpServer().closeAllConnections();
    await closed;
    repository.close();
  };
  try {
    await app.init();
    const url = await app.getHttpAdapter().getInstance().listen({ port, host });
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function buildRepository({ records, variant }: SandboxOptions): ShippingRepository {
  if (typeof records !== 'number') return new ShippingRepository(records, variant);
  return new ShippingRepository(generateRecords(records), variant);
}

async function createApplication(repository: ShippingRepository): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: LONGEST_PATH_PARAMETER },
  });
  return NestFactory.create<NestFastifyApplication>(SandboxModule.over(repository), adapter, {
    logger: ['error'],
    abortOnError: false,
  });
}
