import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { AppModule } from '#src/app.module';
import { configureApp, createAdapter } from '#src/app.setup';
import { readSettings, SETTINGS } from '#src/config/settings';
import { LogDestination } from '#src/observability/logging/log-destination';
import { createLogger, PinoLoggerService } from '#src/observability/logging/logger';
import type { ShippingProtocol } from '#src/shipping/gateway/protocol/shipping-protocol';

/** What a team tests: the service with its settings, modules and protocol. */
export interface TestingAppOptions {
  /** Modules of a team. */
  readonly imports?: NonNullable<DynamicModule['imports']>;
  /** The wire format of the external system. */
  readonly protocol?: Type<ShippingProtocol>;
  /** Environment variables, for the service and in `process.env`, until the application is closed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets the builder of Nest, such as for `overrideProvider`, `overrideGuard` and `useMocker`. */
  readonly configure?: (builder: TestingModuleBuilder) => unknown;
  /** Whether it listens on a free loopback port. */
  readonly listen?: boolean;
  /** Whether it starts the sandbox, in this process, where `env` names no external system. */
  readonly sandbox?: boolean;
  /** Gets the lines of the log; without it, nothing is logged. */
  readonly log?: (line: string) => void;
}

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Creates the real service as a team would, not initialised unless it listens: `await app.init()` before `app.inject`. Close
 * it after the test.
 */
export async function createTestingApp({
  env = {},
  imports = [],
  protocol,
  listen = false,
  sandbox = false,
  log,
  configure,
}: TestingAppOptions = {}): Promise<NestFastifyApplication> {
  const defaults = { HOST: '127.0.0.1', PORT: '0', ...(!sandbox && { EXTERNAL_SHIPPING_BASE_URL: NOWHERE }) };
  const settings = readSettings({ ...defaults, ...env });
  const destination = { write: log ?? (() => undefined) } as LogDestination;
  const logger = createLogger(settings, destination);
  const restoreEnvironment = addToEnvironment(env);
  const builder = Test.createTestingModule({
    imports: [protocol === undefined ? AppModule : AppModule.withProtocol(protocol), ...imports],
    providers: [{ provide: 'environment', useValue: { onApplicationShutdown: restoreEnvironment } }],
  }).setLogger(new PinoLoggerService(logger));
  builder.overrideProvider(SETTINGS).useValue(settings).overrideProvider(LogDestination).useValue(destination);
  configure?.(builder);
  const moduleRef = await builder.compile().catch((error: unknown) => {
    restoreEnvironment();
    throw error;
  });
  const app = moduleRef.createNestApplication<NestFastifyApplication>(createAdapter(settings));
  await configureApp(app);
  if (listen) await app.listen(settings.port, settings.host);
  return app;
}

/** Modules of teams read their variables from `process.env`, such as by `ConfigModule` of Nest. Returns what undoes it. */
function addToEnvironment(env: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };
}
